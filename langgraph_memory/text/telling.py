"""What of a text tells: its words without those that only build or frame the sentence, each in one form.

Two texts that differ in one telling word say two things, however near their vectors are: `twice`, `older`, `out`,
`dark`, `moved` change what is said, while `is`, `the`, `also` do not. Prepositions, degrees, frequencies and the tense
of a verb tell. Which words do not tell is a short list; a word that is missing from it costs one memory too many.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from langgraph_memory.text.characters import FOLD
from langgraph_memory.text.stems import stem

_LIGHT = """
    a an the this that these those there and am is are be been being do does of it its who which what
    i me my mine myself im user speaker he him his himself she her hers herself they them their theirs we us our ours
    you your yours
    also really actually currently now yes so
    said says say saying mentioned mentions mention stated states
    der das dem des ein eine einen einem einer eines und ich mir mich mein meine meinen meinem meiner ist
    sind auch wirklich
    el la los las lo un una unos unas y yo me mi mis soy es tambien
    le une et je j moi mon mes suis est sont aussi
    as um uma meu minha meus minhas sao tambem
    il gli i io mio miei mie sono anche
    het een ik mij mijn en ook
    ja moj moja moje jest jestem i
    я мне меня мой моя мое мои мою и это также мені мене моє моі та
    أنا انا לי אני मैं मेरा मेरी मेरे है हूँ και ο η το
    not no never nt nicht kein keine keinen keinem keiner nie niemals nao nunca jamas non ne pas не никогда لا لم
    maybe perhaps probably possibly presumably apparently vielleicht wahrscheinlich quizas forse talvez
"""
# Negations and guesses are compared by themselves: by how many there are, and by whether there is one.

LIGHT = frozenset(word.translate(FOLD) for word in _LIGHT.split())
"""Words without case and accents that do not tell; also negations and guesses, which are judged elsewhere.

What tells in another language is left out (German `die`, French `son`, Spanish `de`), and so are letters (`vitamin d`).
"""

_PAST_WORDS = """
    was were had did began bought sold won lost left forgot went came got took gave made met kept told thought knew saw
    felt found became wrote ran ate drank drove spoke slept
"""
_PAST = frozenset(_PAST_WORDS.split())
_PAST_ENDING = re.compile(r"[a-z]{2,}ed|[a-z]{2,}(?:[bdfgklmnprtz]|[dt]e)te[nst]?")
_PAST_RUSSIAN = re.compile(r"[а-яіїє]{2,}л[аои]?")
_NEGATED = re.compile(r"n['’]t$")
_ELIDED = re.compile(r"^(?:qu|[cdjlmnst])['’](?=\w)")
_SHORT = {"ca": "can", "wo": "will", "sha": "shall", "cannot": "can", "ain": "is"}
_MOODS = {"has": "have", "having": "have", "goes": "go", "going": "go"}

Key = tuple[object, bool]


def telling(words: Collection[str], sides: Mapping[str, object], counts: Mapping[str, object]) -> frozenset[Key]:
    """Return what tells among the words of a text, each once: what it means, and whether it is of the past.

    Args:
        words: without case and accents.
        sides: words that stand for one thing, such as `like` and `enjoy`, by that thing.
        counts: words that are numbers, which are compared elsewhere.
    """
    found = set()
    for word in words:
        bare = _NEGATED.sub("", _ELIDED.sub("", word))
        bare = _SHORT.get(bare, bare)
        if bare not in LIGHT and bare not in counts and not bare.isdigit():
            found.add((sides.get(bare) or _root(bare), _is_past(bare)))
    return frozenset(found)


def _root(word: str) -> str:
    if word in _MOODS:
        return _MOODS[word]
    root = stem(word)
    # A stemmer joins `old` and `older` in no script, but `general` and `generally` it does.
    return f"{root}ly" if word.endswith("ly") and not root.endswith("ly") else root


def _is_past(word: str) -> bool:
    return word in _PAST or bool(_PAST_ENDING.fullmatch(word) or _PAST_RUSSIAN.fullmatch(word))
