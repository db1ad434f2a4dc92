"""Says whether two texts that are near each other may be one claim, before one of them is folded into the other.

Nearness in a vector space does not see that 5 is not 6, that `not` was added, or that Ana is not Bob. So two texts are
one claim only where their numbers, negations, names, quotations and identifiers agree, no word of one is the opposite
of a word of the other, no two words trade places around a third ("tea more than coffee"), neither tells of a change
or says `probably` where the other does not, and each has every telling word of the other (see `telling`). Two records
too many are a nuisance, a lost fact is a loss: where the rules cannot see, they say no. Scripts without capital letters
show no names, so there the content must be the same in the same order.

It does not know synonyms beyond a few.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from langgraph_memory.text.characters import FOLD, KIND, MARK, UNSPACED
from langgraph_memory.text.dates_said import MONTHS, WEEKDAYS
from langgraph_memory.text.hedges import certainty
from langgraph_memory.text.normalise import clean, normalise
from langgraph_memory.text.sentences import split_sentences
from langgraph_memory.text.stopwords import FUNCTION_CHARACTERS, STOP_WORDS
from langgraph_memory.text.telling import LIGHT, Key, telling

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_L = "A-Za-zÀ-ӿ"
_IDENTIFIER = re.compile(
    rf"[\w.+-]+@\w[\w.-]*\w|https?://\S+|[\w]*[{_L}\d]_[{_L}\d]\w*|[{_L}]+\d[{_L}\d]*|\d+[{_L}][{_L}\d]*"
    rf"|[{_L}]+(?:\.[{_L}]+)+|[{_L}]{{1,2}}(?:\+\+|#)|[@#]\w+|[{_L}]*[a-z][A-Z][{_L}\d]*"
)
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_QUOTE = re.compile(
    r"\"([^\"]{1,200})\"|“([^”]{1,200})”|«([^»]{1,200})»|「([^」]{1,200})」|『([^』]{1,200})』"
    r"|(?<!\w)['‘]([^'’]{1,200})['’](?!\w)"
)

# Up to ten, as they look without accents; the word for "one" is an article almost everywhere, so only English has it.
_COUNTING = (
    *("zero 零 〇", "one 一", "two 二 两 兩 dos deux zwei due dois duas два две двое"),
    *("three 三 tres trois drei tre три трое", "four 四 cuatro quatre vier quattro quatro четыре"),
    *("five 五 cinco cinq funf cinque пять", "six 六 seis sechs шесть", "seven 七 siete sept sieben sette sete семь"),
    *(
        "eight 八 ocho huit acht oito восемь",
        "nine 九 nueve neuf neun nove девять",
        "ten 十 diez dix zehn dieci dez десять",
    ),
)
_COUNTS = {word: str(number) for number, words in enumerate(_COUNTING) for word in words.split()}
_NO_COUNT = re.compile(
    r"\b(?:no one|one of|the one|one day|one another)\b|一起|一直|一样|一樣|一些|一定|一般|一下|一点|一點|一边|一邊"
    r"|统一|唯一|万一|千万|十分|一緒|一番|四川|九州|三明治"
)
_HAN_NUMBER = re.compile("[零〇一二三四五六七八九十百千万萬两兩]+")

_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|nowhere|neither|nor|without|cannot|cant|dont|wont|doesnt|didnt|isnt)\b"
    r"|n't\b|\b(?:nicht|nichts|kein\w{0,2}|nie|niemals|ohne|niet|geen|inte|ingen|aldrig|ikke|nao|nunca|jamas|sin|ni"
    r"|non|senza|sans|ne|n')(?!\w)|\b(?:не|нет|ни|никогда|без|yok|degil|hic|khong|chua|tidak|bukan|belum)\b"
    r"|(?<!\w)(?:لا|لم|لن|ليس|ليست|لست|بدون|ما|غير|לא|אין|नहीं|नही|मत)(?!\w)|[不没沒無无未别別勿]|ない|なかった"
    r"|ません|なく|ずに|안 |않|못|없|아니|ไม่"
)
_PAS = re.compile(r"\b(?:pas|jamais|aucune?)\b")  # French in speech leaves the `ne` out
_NE = re.compile(r"\bn(?:e\b|')")
_NO_NEGATION = re.compile(
    r"不错|不錯|不过|不過|不仅|不僅|不但|不久|不断|不斷|差不多|对不起|對不起|特别|特別|别人|別人|区别|區別|性别|性別"
    r"|分别|分別|别墅|别的|無論|无论|无锡|未来|未來|未婚|没关系|沒關係|不管|不少|不得不|了不起|忍不住|不客气|少ない"
    r"|危ない|かもしれない|なければなら|ないといけ|無料|無事|不動産|\bno\. ?\d|\bno doubt\b|\bnot only\b"
)
_CHANGE = re.compile(
    r"\bused to\b|\bno longer\b|\bany ?more\b|\b(?:was|were|had)\b.{0,80}\bnow\b|\bnow\b.{0,80}\b(?:was|were)\b"
    r"|\bformer(?:ly)?\b|\bpreviously\b|\bswitch(?:ed|es) (?:from|to)\b|\bchang(?:ed|es)"
    r" (?:from|to|his|her|their|my)\b|\b(?:moved|went) from\b|\binstead of\b|\bbecame\b"
    r"|\b(?:fruher|ehemals|ehemalige\w*|nicht mehr|antes|ya no|solia|antigamente|ja nao|costumava|autrefois"
    r"|desormais|ancien(?:ne)?|un tempo|non .{0,40}piu|раньше|прежде|больше не|теперь|бывш\w+)\b"
    r"|\b(?:ne|n').{0,40}\bplus\b|以前|曾|原来|原來|从前|從前|不再|改成|改为|改為|换成|換成|变成|變成|かつて|昔は"
    r"|もう.{0,20}ない|に変わ|に変え|예전|전에는|더 이상|이제는|바꿨|바뀌|เคย|ไม่.{0,20}แล้ว|سابقا|لم يعد"
)

_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|been|being|gets?|got)\b[^.!?]{0,40}\bby\b|\b(?:wird|wurden?|werden|worden)\b"
    r"|\b(?:es|son|fue|fueron|sido|foi|foram)\b[^.!?]{0,40}\bp(?:or|el[oa]s?)\b"
    r"|\b(?:est|sont|ete|etait|fut)\b[^.!?]{0,40}\bpar\b|被(?!子)"
)
# What stands before such a particle says who does what to whom, whatever the order of the words.
_PARTICLES = tuple(
    re.compile(rf"(\w)(?:{particle})")
    for particle in ("より", "を", "に", "から", "まで", "보다", "[을를](?!\\w)", "에게|한테", "에서|부터", "까지")
)
_ENDING = re.compile("[аеёиоуыэюяйьіїє]+$")  # what Slavic cases change: чай, чая
_JOINED = "and or und oder et ou y o e и или і та en of i ve veya is are was were ist est es son"
_JOINING = frozenset(_JOINED.split())

# Words of one line exclude those of another line of the same group, where each text has only one of them.
_OPPOSITES = """
    love loves loved like likes liked enjoy enjoys enjoyed adore adores prefer prefers fan favourite favorite gusta
    encanta adoro adora amo ama aime aimes mag liebe liebt люблю любит нравится piace gosto gosta / hate hates hated
    dislike dislikes disliked detest detests loathe loathes avoid avoids odio odia odeia detesto detesta deteste
    hasse hasst ненавижу ненавидит
    | left links izquierda gauche sinistra esquerda / right rechts derecha droite destra direita
    | before vor avant / after nach apres despues dopo depois
    | start starts started starting begin begins began empiezo empezo comence commence begonnen начал начала / stop
    stops stopped quit quits end ends ended finish finished dejo dejado arrete aufgehort бросил бросила
    | buy buys bought / sell sells sold | win wins won / lose loses lost
    | accept accepts accepted / reject rejects rejected declined refused | join joins joined / leave leaves
    | open opens opened / close closes closed shut | more / less fewer | always / sometimes / often / rarely seldom
    | early / late | hot / cold | big large / small little | tall / short | old / young / new | rich / poor
    | good / bad | better / worse | best / worst | easy / hard difficult | happy / sad unhappy | fast / slow
    | cheap / expensive | inside / outside | above / below
    | increase increased rises up / decrease decreased falls down
    | agree agrees agreed / disagree disagrees disagreed | true / false | alive / dead
    | remember remembers / forget forgets forgot | can able / unable
    | single / married / divorced / widowed / engaged | allergic / immune | man men male / woman women female
    | boy / girl
    | mother mom mum madre mere mutter мать мама mae / father dad padre pere vater отец папа pai / sister hermana
    soeur schwester сестра irma / brother hermano frere bruder брат irmao / son sohn hijo fils сын filho / daughter
    tochter hija fille дочь filha / wife esposa femme жена moglie / husband marido mari муж marito / aunt / uncle /
    grandmother grandma / grandfather grandpa / niece / nephew / cousin
    | cat cats / dog dogs / bird birds / horse horses / rabbit rabbits / fish / turtle turtles
    | black / white / red / blue / green / yellow / orange / purple / pink / brown / grey gray
    | north / south / east / west | first / second / third / fourth / fifth / last
    | morning / afternoon / evening / night / noon | breakfast / lunch / dinner
    | spring / summer / autumn fall / winter | daily / weekly / monthly / yearly | tea / coffee | vegan / vegetarian
"""
_PERSONS = "i me my mine myself we us our / he him his / she her hers / you your yours / they them their"
_PERSON = -3
_SIDE = {
    word: (group, side)
    for group, sides in enumerate(_OPPOSITES.split("|"))
    for side, words in enumerate(sides.split("/"))
    for word in words.split()
}
_SIDE |= {name: (-1, number) for name, number in MONTHS.items() if len(name) > 3}
_SIDE |= {name: (-2, number) for name, number in WEEKDAYS.items()}
_SIDE |= {word: (_PERSON, side) for side, words in enumerate(_PERSONS.split("/")) for word in words.split()}

_ADVERBS = "now currently today recently also really still actually yes well so"
_HEDGES = "maybe perhaps probably possibly presumably apparently vielleicht wahrscheinlich quizas forse talvez"
_SUBJECTS = "user speaker я мне мы у yo eu ich je io"
_NOT_FIRST = STOP_WORDS.union(_ADVERBS.split(), _SUBJECTS.split(), _HEDGES.split())
_SYNONYMS = (
    (re.compile("喜爱|热爱|喜歡|喜好|爱|愛"), "喜欢"),
    (re.compile("居住|生活"), "住"),
    (re.compile("上班|任职|就职"), "工作"),
    (re.compile("现在|現在|目前|正在"), ""),
)
_EMPTY_CHARACTERS = FUNCTION_CHARACTERS | frozenset("很真太요은는이가을를에의도다습니")
_JAPANESE_END = re.compile(r"(?:[てで]い(?:る|ます)|です|ます|だ|る)(?=[。!.\s]|$)")
_CASED = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "GEORGIAN", "COPTIC", "DESERET", "ADLAM", "CHEROKEE")
_SPACED = re.compile("[a-z][a-z0-9]*")
_HIRAGANA = re.compile("[\u3041-\u309f]")


@dataclass(frozen=True, slots=True)
class _Claim:
    """What of a text must agree with another text."""

    plain: str
    exact: tuple[object, ...]
    quotes: frozenset[str]
    names: frozenset[str]
    first: str
    words: tuple[str, ...]
    sides: dict[int, set[int]]
    content: tuple[str, ...] | None
    telling: frozenset[Key]
    order: dict[object, int]
    roles: tuple[tuple[str, ...], ...]


def same_claim(a: str, b: str) -> bool:
    """Say whether nothing speaks against folding one text into the other; it is for texts that are near already.

    Symmetric, true for a text and itself, and defined for any two strings.
    """
    one, other = _claim(a), _claim(b)
    return one.plain == other.plain or (
        one.exact == other.exact
        and _names_agree(one, other)
        and all(quote in other.plain for quote in one.quotes)
        and all(quote in one.plain for quote in other.quotes)
        and _sides_agree(one, other)
        and one.content == other.content
        and one.telling == other.telling
        and _order_agrees(one, other)
        and all(mine == yours for mine, yours in zip(one.roles, other.roles, strict=True) if mine and yours)
    )


@lru_cache(maxsize=512)
def _claim(text: str) -> _Claim:
    plain = normalise(text)
    folded = plain.translate(FOLD)
    words = tuple(_bare(word) for word in _WORD.findall(folded))
    sides: dict[int, set[int]] = {}
    for word in words:
        if word in _SIDE:
            group, side = _SIDE[word]
            sides.setdefault(group, set()).add(side)
    composed = unicodedata.normalize("NFKC", clean(text))
    names, first = _names(composed)
    exact = (
        _numbers(folded),
        _negations(folded),
        bool(_CHANGE.search(folded)),
        bool(_PASSIVE.search(folded)),
        certainty(folded),
        plain.endswith(("?", "؟")),
        frozenset(normalise(found) for found in _IDENTIFIER.findall(composed)),
    )
    quotes = frozenset(normalise(part) for found in _QUOTE.findall(composed) for part in found if part)
    roles = tuple(tuple(particle.findall(folded)) for particle in _PARTICLES)
    content = _content(folded, words)
    tells = frozenset[Key]() if content is not None else telling(words, _SIDE, _COUNTS)
    return _Claim(plain, exact, quotes, names, first, words, sides, content, tells, _order(words), roles)


def _bare(word: str) -> str:
    return re.sub(r"['’](?:s|re|ve|ll|d|m)$", "", word)


def _numbers(folded: str) -> tuple[tuple[str, int], ...]:
    """Return the numbers with how often each is said; `1,000` is 1000 and `two` is 2."""
    found = [number.replace(",", "") if _THOUSANDS.fullmatch(number) else number for number in _NUMBER.findall(folded)]
    rest = _NO_COUNT.sub(" ", folded)
    found += [_COUNTS[word] for word in _WORD.findall(rest) if word in _COUNTS and not _HAN_NUMBER.fullmatch(word)]
    found += [_COUNTS.get(run, run) for run in _HAN_NUMBER.findall(rest)]
    return tuple(sorted(Counter(found).items()))


def _negations(folded: str) -> int:
    rest = _NO_NEGATION.sub(" ", folded)
    said = len(_NEGATION.findall(rest))
    return said or (len(_PAS.findall(rest)) if not _NE.search(rest) else 0)


def _names(composed: str) -> tuple[frozenset[str], str]:
    """Return the capitalised words that do not begin a sentence, and the word that begins the text."""
    names: set[str] = set()
    first = ""
    for place, sentence in enumerate(split_sentences(composed)):
        found = [_bare(word.translate(FOLD)) for word in _WORD.findall(sentence)]
        names.update(word for word in found[1:] if word[:1].isupper() and word != "I" and not word.startswith("I'"))
        if place == 0 and found and found[0][:1].isupper():
            first = found[0].casefold()
    return frozenset(name.casefold().translate(FOLD) for name in names), first


def _names_agree(one: _Claim, other: _Claim) -> bool:
    """Say whether each names what the other names, in the same order.

    The first word is capitalised anyway. It is taken for a name only where both texts begin with a word that the other
    does not have at all: "Ana works at Acme" and "Bob works at Acme".
    """
    names = one.names | other.names
    if not all(name in claim.words for name in names for claim in (one, other)):
        return False
    if [w for w in dict.fromkeys(one.words) if w in names] != [w for w in dict.fromkeys(other.words) if w in names]:
        return False
    if not one.first or not other.first or one.first in other.words or other.first in one.words:
        return True
    if one.first in _NOT_FIRST or other.first in _NOT_FIRST:
        return True
    return one.first in _SIDE and _SIDE[one.first] == _SIDE.get(other.first)


def _sides_agree(one: _Claim, other: _Claim) -> bool:
    """Say whether no word of one is the opposite of a word of the other; of persons, one in common is enough."""
    for group in one.sides.keys() & other.sides.keys():
        mine, yours = one.sides[group], other.sides[group]
        if mine.isdisjoint(yours) if group == _PERSON else mine != yours:
            return False
    return True


def _order(words: tuple[str, ...]) -> dict[object, int]:
    """Return the places of the words that are said once; `he` and `him` are one word, and so are `love` and `like`."""
    same = [_SIDE.get(word, _ENDING.sub("", word) or word) for word in words if word not in _JOINING]
    once = Counter(same)
    return {word: place for place, word in enumerate(same) if once[word] == 1}


def _order_agrees(one: _Claim, other: _Claim) -> bool:
    """Say whether no two words trade places around a third: `tea more than coffee`, `mother told father`.

    A part that moves as a whole ("at work she writes") leaves no three words in the reverse order.
    """
    places = [other.order[word] for word in one.order if word in other.order]
    second = -1  # the highest place that follows a higher one
    highest = -1
    for place in places:
        if place < second:
            return False
        if place < highest:
            second = max(second, place)
        highest = max(highest, place)
    return True


def _content(folded: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return what a text in a script without capitals says, in order; None for other scripts."""
    kinds = folded.translate(KIND)
    if UNSPACED in kinds:
        folded = _HAN_NUMBER.sub("", folded)  # numbers are compared by their value
        for synonyms, word in _SYNONYMS:
            folded = synonyms.sub(word, folded)
        if _HIRAGANA.search(folded):
            folded = _JAPANESE_END.sub("", folded)
        kinds = folded.translate(KIND)
        signs = [char for char, kind in zip(folded, kinds, strict=True) if kind in (UNSPACED, MARK)]
        return (*(char for char in signs if char not in _EMPTY_CHARACTERS), *_SPACED.findall(folded))
    letters = [word for word in words if not unicodedata.name(word[0], "").startswith(_CASED) and word[0].isalpha()]
    return tuple(word for word in words if word not in LIGHT) if letters else None
