"""Words that make a statement less than certain, and words that make it a wish or a plan, in many languages.

A hedge turns "has diabetes" into something else: what is only supposed must not stand in for what is known.
"""

from __future__ import annotations

import re

# All of these meet text without case and accents.
_SPACED = """
    probably|possibly|perhaps|maybe|might|presumably|supposedly|allegedly|apparently|reportedly|potentially|suspected
    |(?:is|are|am|was|were|very|most|quite) likely|seems?|seemed|appears to|(?:may|could|would) (?:be|have|need|also)
    |i (?:think|guess|suppose|believe|suspect)|not sure|unsure|uncertain|suspects?|rumou?red
    |vielleicht|wahrscheinlich|vermutlich|moglicherweise|eventuell|anscheinend|angeblich|konnte sein|ich glaube
    |peut-etre|probablement|possiblement|apparemment|semble|pourrait|je crois|je pense|il parait
    |quizas?|tal vez|probablemente|posiblemente|a lo mejor|acaso|parece|podria|puede que|creo que
    |talvez|provavelmente|possivelmente|acho que|poderia|se calhar
    |forse|probabilmente|possibilmente|magari|potrebbe|sembra|credo che|penso che
    |возможно|может быть|может|наверное?|вероятно|видимо|похоже|кажется|пожалуй
    |можливо|мабуть|ймовірно|напевно|здається|може бути
    |misschien|waarschijnlijk|mogelijk|wellicht|vermoedelijk|schijnt|denk ik
    |moze|chyba|prawdopodobnie|mozliwe|podobno|mozna|asi|snad|pravdepodobne
    |belki|muhtemelen|galiba|sanirim|herhalde|olabilir
    |kanske|troligen|mojligen|formodligen|maske|muligens|sannsynligvis|sandsynligvis|ehka|luultavasti|talan
    |valoszinuleg|probabil|ισως|μαλλον|πιθανως|πιθανον|mungkin|barangkali|co le|co the
    |ربما|قد|لعل|يمكن|على الأرجح|אולי|כנראה|ייתכן|शायद|संभवतः|संभवत
"""
_UNSPACED = (
    "(?<!不)可能|也许|也許|或许|或許|大概|恐怕|说不定|說不定|好像|似乎|おそらく|恐らく|たぶん|多分|かもしれ|でしょう|だろう"
    "|らしい|もしかし|아마|어쩌면|모르겠|것 같|듯하|듯해|อาจ|คงจะ|น่าจะ|บางที"
)
_DOUBTED = "(?:is|are|was|very|most) unlikely|unlikely to|improbable|unwahrscheinlich|improvavel|маловероятно"
_MEANT = """
    wants? to|wanted to|would like to|hopes? to|hoping to|plans? to|planning to|intends? to|intending to|considering
    |thinking (?:of|about)|will i?ch|mochte|wurde gern\\w*|plant|quier[eo]|quisiera|espera|voudrai[st]|veut|veux
    |espere|vuole|vorrei|spera|quero|quer|pretende|хочет|хочу|планирует|планирую|надеется
    |wil|zou graag|chce|chcialby|istiyor\\w*
"""
_MEANT_UNSPACED = "想要|打算|希望|计划|計劃|つもり|予定|たい(?:です|と|。|$)|싶|계획|อยากจะ|ตั้งใจ|วางแผน"


def _words(spaced: str, unspaced: str = "") -> re.Pattern[str]:
    alternatives = re.sub(r"\s*\n\s*", "", spaced.strip())
    return re.compile(rf"(?<![^\W_])(?:{alternatives})(?![^\W_])" + (f"|{unspaced}" if unspaced else ""))


_HEDGE, _DOUBT, _MEANING = _words(_SPACED, _UNSPACED), _words(_DOUBTED), _words(_MEANT, _MEANT_UNSPACED)


def certainty(folded: str) -> tuple[bool, bool, bool]:
    """Say whether a text is hedged, whether it calls something unlikely, and whether it tells a wish or a plan.

    Args:
        folded: normalised text without case and accents.
    """
    return bool(_HEDGE.search(folded)), bool(_DOUBT.search(folded)), bool(_MEANING.search(folded))
