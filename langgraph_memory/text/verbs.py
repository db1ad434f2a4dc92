"""English verbs that tell nothing by themselves, and verbs whose forms do not look alike.

Only the report of what was asked and not found uses them; search takes every word as it stands.
"""

from __future__ import annotations

_LIGHT = """
go goes going went gone get gets getting got gotten come comes coming came
take takes taking took taken make makes making made give gives giving gave given
put puts putting let lets letting keep keeps keeping kept bring brings bringing brought set sets setting
become becomes becoming became happen happens happening happened seem seems seeming seemed
say says saying said tell tells telling told talk talks talking talked speak speaks speaking spoke spoken
mention mentions mentioning mentioned ask asks asking asked show shows showing showed shown
think thinks thinking thought know knows knowing knew known mean means meant
feel feels feeling felt believe believes believing believed
see sees seeing saw seen look looks looking looked find finds finding found
want wants wanting wanted need needs needing needed like likes liking liked
try tries trying tried use uses using used start starts starting started begin begins beginning began begun
"""

LIGHT_VERBS = frozenset(_LIGHT.split())
"""Everyday verbs with all their forms. "When did Ana go to the group?" is answered by "I was at the group" too: what
is asked for is the group. `be`, `have` and `do` are stop words anyway."""

_FORMS = """
beat beaten|bend bent|bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred|build built|burn burnt
buy bought|catch caught|choose chose chosen|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt
drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|fight fought|flee fled|fly flew flown
forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|grow grew grown|hang hung|hear heard
hide hid hidden|hold held|kneel knelt|lay laid|lead led|learn learnt|leave left|lend lent|light lit|lose lost|meet met
overcome overcame|pay paid|prove proved proven|ride rode ridden|ring rang rung|rise rose risen|run ran|seek sought
sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot|shrink shrank shrunk|sing sang sung
sink sank sunk|sit sat|sleep slept|slide slid|spend spent|spin spun|spring sprang sprung|stand stood
steal stole stolen|stick stuck|strike struck|swear swore sworn|sweep swept|swim swam swum|swing swung|teach taught
tear tore torn|throw threw thrown|undergo underwent undergone|understand understood|wake woke woken|wear wore worn
weep wept|win won|withdraw withdrew withdrawn|write wrote written
"""

IRREGULAR_VERBS: tuple[tuple[str, ...], ...] = tuple(
    tuple(forms.split()) for line in _FORMS.strip().splitlines() for forms in line.split("|")
)
"""The forms of one verb each that stemming leaves apart; those that end in -s, -ing or -ed it finds by itself."""
