"""Reads the one date that a sentence says, such as `since 3 May 2026` or `last month`, counted from when it was said.

It is used to say since when a fact is true, so it answers only where exactly one date is said and its beginning is
clear. Anything else is None: two dates, a span, `until 2019`, a day without a year, `05/03/2026`, `on Friday`.
Calendar dates are read in English, Chinese, Japanese, Korean, Spanish, French, German, Italian, Portuguese and
Russian; relative ones too, except words that mean something else as well (French `hier`, German `morgen`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta

from langgraph_memory.text.characters import FOLD
from langgraph_memory.text.normalise import normalise

Reading = Callable[[re.Match[str], date], date | None]
"""Turns what was said, and the day on which it was said, into a day; None where it is a date, but not a clear one."""

# As they look without case and accents, in the order of the year.
_MONTH_NAMES = (
    "january jan janvier janv januar janner enero ene gennaio gen janeiro января январе январь",
    "february feb fevrier fevr februar febrero febbraio fevereiro fev февраля феврале февраль",
    "march mar mars marz marzo marco марта марте март",
    "april apr avril avr abril abr aprile апреля апреле апрель",
    "may mai mayo maggio mag maio мая мае май",
    "june jun juin juni junio giugno giu junho июня июне июнь",
    "july jul juillet juil juli julio luglio lug julho июля июле июль",
    "august aug aout agosto ago августа августе август",
    "september sept sep septembre septiembre settembre setembro сентября сентябре сентябрь",
    "october oct octobre oktober okt octubre ottobre ott outubro out октября октябре октябрь",
    "november nov novembre noviembre novembro ноября ноябре ноябрь",
    "december dec decembre dezember dez diciembre dic dicembre dezembro декабря декабре декабрь",
)
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
_DAY_NAMES = (
    "monday montag lundi lunes lunedi понедельник",
    "tuesday dienstag mardi martes martedi вторник",
    "wednesday mittwoch mercredi miercoles mercoledi среду",
    "thursday donnerstag jeudi jueves giovedi четверг",
    "friday freitag vendredi viernes venerdi пятницу",
    "saturday samstag samedi sabado sabato субботу",
    "sunday sonntag dimanche domingo domenica воскресенье",
)
WEEKDAYS = {name: number for number, names in enumerate(_DAY_NAMES) for name in names.split()}
_HAN_DAYS = {char: number for number, char in enumerate("一二三四五六日")} | {"天": 6}
_COUNTING = (
    "one 一 a an un une uno una einem einer um uma",
    "two 二 两 兩 deux dos zwei due dois duas два две",
    "three 三 trois tres drei tre три",
    *("four 四 vier", "five 五", "six 六", "seven 七", "eight 八", "nine 九", "ten 十"),
)
_NUMBERS = {word: number for number, words in enumerate(_COUNTING, 1) for word in words.split()}


def _any(words: dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_Y = r"(?P<year>(?:19|20)\d\d)(?!\d|[/.,:-]\d)"
_M = rf"(?P<month>{_any(MONTHS)})\.?(?!\w)"
_D = r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th|er|\.|º|ª|°)?"
_OF = r",?\s+(?:of\s+|del?\s+|di\s+|d'|the\s+)?"
_N = rf"(?P<count>\d{{1,3}}|{_any(_NUMBERS)})"
_DAYS = r"days?|tag(?:en?)?|jours?|dias?|giorn[oi]|день|дня|дней"
_WEEKS = r"weeks?|wochen?|semaines?|semanas?|settiman[ae]|недел[юиь]|неделю"
_MONTHS_LONG = r"months?|monat(?:en?)?|mois|mes(?:es|i|e)?|месяц(?:а|ев)?"
_YEARS = r"years?|jahr(?:en?)?|ans?|annees?|anos?|ann[oi]|год(?:а)?|лет"
_UNITS = rf"(?:(?P<days>{_DAYS})|(?P<weeks>{_WEEKS})|(?P<months>{_MONTHS_LONG})|(?P<years>{_YEARS}))(?!\w)"
_HAN_UNITS = (
    r"(?:(?P<days>天|日)|(?P<weeks>周|週間?|个?星期|個星期)|(?P<months>个月|個月|か月|ヶ月|カ月)|(?P<years>年))"
)
_IN = (
    r"(?:since|in|from|starting|year|as of|depuis|en|seit|ab|im jahre?|desde|a partir de|em|dal|nel|с|в"
    r"|from the year|自从?|从|從)"
)

_BEFORE = re.compile(
    r"(?:until|till?|before|by|after|to|through|than|bis|vor|nach|jusqu'?(?:a|en)|avant|apres|hasta|antes|despues"
    r"|ate|depois|prima|dopo|fino|до|после|到|至|between|zwischen|entre)(?:\s+(?:the|late|early|mid|de|del|in|en|di"
    r"|al?|à))*\s*$"
)
_AFTER = re.compile(r"\s?(?:年|月|日)?\s?(?:以前|之前|以后|以後|之后|之後|まで|까지|前|后|後|[-–—~～]\s?\d)")


def _calendar(match: re.Match[str], _: date) -> date:
    parts = match.groupdict()
    month = parts.get("month") or "1"
    return date(int(parts["year"]), MONTHS.get(month) or int(month), int(parts.get("day") or 1))


def _slashes(match: re.Match[str], _: date) -> date | None:
    """Read 25/12/2026 and 12/25/2026; where both numbers could be the month, nobody can tell."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if first == second or second > 12:
        return date(year, first, second)
    return date(year, second, first) if first > 12 else None


def _unclear(_match: re.Match[str], _today: date) -> None:
    return None


def _month_away(day: date, months: int) -> date:
    """Return the first day of the month that many months away."""
    months += day.year * 12 + day.month - 1
    return date(months // 12, months % 12 + 1, 1)


def _ago(match: re.Match[str], today: date) -> date:
    count = _NUMBERS.get(match["count"]) or int(match["count"])
    if match["days"]:
        return today - timedelta(days=count)
    if match["weeks"]:
        return today - timedelta(weeks=count)
    return _month_away(today, -count) if match["months"] else date(today.year - count, 1, 1)


def _day(offset: int) -> Reading:
    return lambda _, today: today + timedelta(days=offset)


def _week(offset: int) -> Reading:
    return lambda _, today: today + timedelta(weeks=offset, days=-today.weekday())


def _month(offset: int) -> Reading:
    return lambda _, today: _month_away(today, offset)


def _year(offset: int) -> Reading:
    return lambda _, today: date(today.year + offset, 1, 1)


def _last_weekday(match: re.Match[str], today: date) -> date:
    return today - timedelta(days=(today.weekday() - WEEKDAYS[match["weekday"]] - 1) % 7 + 1)


def _next_weekday(match: re.Match[str], today: date) -> date:
    return today + timedelta(days=(WEEKDAYS[match["weekday"]] - today.weekday() - 1) % 7 + 1)


def _han_weekday(weeks: int) -> Reading:
    return lambda match, today: today + timedelta(weeks=weeks, days=_HAN_DAYS[match["weekday"]] - today.weekday())


_W = rf"(?P<weekday>{_any(WEEKDAYS)})"
_HAN_W = r"(?:个|個)?(?:周|週|星期|礼拜|禮拜)(?P<weekday>[一二三四五六日天])"

# Read in this order; what one reading has taken is gone for the next. The text has neither case nor accents.
_CALENDAR: tuple[tuple[str, Reading], ...] = (
    (
        r"(?<![\d-])(?<!version )(?P<year>(?:19|20)\d\d)(?P<s>[-/.])(?P<month>\d\d?)(?P=s)(?P<day>\d\d?)(?!\d|[-/]\d)",
        _calendar,
    ),
    (r"(?P<year>(?:19|20)\d\d)\s?[年년]\s?(?P<month>\d\d?)\s?[月월](?:\s?(?P<day>\d\d?)\s?[日号號일])?", _calendar),
    (rf"(?<![\w.]){_D}{_OF}{_M}{_OF}{_Y}", _calendar),
    (rf"(?<!\w){_M}\s+{_D},?\s+{_Y}", _calendar),
    (rf"(?<!\w){_M}{_OF}{_Y}", _calendar),
    (r"(?<![\d-])(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?![\d-])", _calendar),
    (r"(?<!\d)(?P<first>\d\d?)[/.-](?P<second>\d\d?)[/.-](?P<year>(?:19|20)\d\d)(?!\d)", _slashes),
    (r"(?<!\d)(?P<year>(?:19|20)\d\d)\s?[年년](?!代)", _calendar),
    (rf"(?<![a-zа-я]){_IN}\s?{_Y}(?:\s?(?:году|года))?(?!\w|')", _calendar),
    (
        r"(?<![\d.,:$€£¥-])(?:19|20)\d\d(?!\d|%|[.,:-]\d|\s?(?:km|m|kg|g|eur|usd|元|円|원|回|次|個|个)(?![a-z]))",
        _unclear,
    ),
    (rf"(?<![\w.]){_D}{_OF}{_M}|(?<!\w){_M.replace('month', 'm2')}\s+{_D.replace('day', 'd2')}(?!\w)", _unclear),
    (r"\d\d?\s?[月월]\s?\d\d?\s?[日号號일]", _unclear),
    (rf"(?<!\w){_N}\s+{_UNITS}\s+(?:ago|fa|atras|назад)(?!\w)", _ago),
    (rf"(?<!\w)(?:vor|il y a|hace)\s+{_N}\s+{_UNITS}", _ago),
    (rf"(?P<count>\d{{1,3}}|[一二两兩三四五六七八九十])\s?{_HAN_UNITS}(?:之?前|以前)", _ago),
    (rf"上{_HAN_W}", _han_weekday(-1)),
    (rf"下{_HAN_W}", _han_weekday(1)),
    (rf"(?<!\w)(?:last|letzten) {_W}(?!\w)", _last_weekday),
    (rf"(?<!\w){_W} (?:passe|dernier|pasado|scorso)(?!\w)", _last_weekday),
    (rf"(?<!\w)(?:next|this coming|nachsten|kommenden|proximo|prossimo) {_W}(?!\w)", _next_weekday),
    (rf"(?<!\w){_W} (?:prochain|proximo|prossimo)(?!\w)", _next_weekday),
    (
        rf"(?<!\w)(?:(?:on|am|el|le|в|во) )?{_W}s?(?!\w)|(?:周|週|星期|礼拜|禮拜)[一二三四五六日天]"
        rf"|[月火水木金土日]曜",
        _unclear,
    ),
)
# Longer phrases first, because they hold shorter ones.
_RELATIVE: tuple[tuple[Reading, str, str], ...] = (
    (
        _day(-2),
        "the day before yesterday|vorgestern|avant-hier|anteayer|antier|anteontem|l'altro ieri|позавчера",
        "前天|一昨日|おととい|그저께",
    ),
    (
        _day(2),
        "the day after tomorrow|ubermorgen|apres-demain|pasado manana|depois de amanha|dopodomani|послезавтра",
        "后天|後天|明後日|あさって|모레",
    ),
    (
        _day(-1),
        "yesterday|last night|gestern|hier (?:soir|matin)|ayer|anoche|ontem|ieri|вчера|أمس|امس",
        "昨天|昨日|昨晚|昨夜|昨儿|きのう|어제|เมื่อวาน",
    ),
    (
        _day(0),
        "today|tonight|this (?:morning|afternoon|evening)|heute|aujourd'hui|hoy|hoje|oggi|сегодня|اليوم",
        "今天|今日|今晚|今早|今夜|きょう|오늘|วันนี้",
    ),
    (_day(1), "tomorrow|demain|amanha|domani|завтра|غدا", "明天|明日|明晚|あした|내일|พรุ่งนี้"),
    (
        _week(-1),
        "(?:last|past) week|letzten? woche|(?:la )?semaine (?:derniere|passee)|(?:la )?semana pasada"
        "|(?:na )?semana passada|(?:la )?(?:settimana scorsa|scorsa settimana)|на прошлой неделе",
        "上周|上週|上个?星期|上個星期|上个?礼拜|先週|지난주|สัปดาห์ที่แล้ว",
    ),
    (
        _week(1),
        "next week|nachsten? woche|(?:la )?semaine prochaine|la (?:proxima semana|semana que viene)|proxima semana"
        "|semana que vem|(?:la )?(?:settimana prossima|prossima settimana)|на следующей неделе",
        "下周|下週|下个?星期|下個星期|下个?礼拜|来週|다음 ?주|สัปดาห์หน้า",
    ),
    (
        _week(0),
        "this week|diese woche|cette semaine|esta semana|questa settimana|на этои? ?неделе",
        "这周|這週|本周|今週|이번 ?주",
    ),
    (
        _month(-1),
        "(?:last|past) month|letzten monat|(?:le )?mois (?:dernier|passe)|(?:el )?mes pasado|mes passado"
        "|(?:il )?(?:mese scorso|scorso mese)|в прошлом месяце",
        "上个?月|上個月|先月|지난 ?달|เดือนที่แล้ว",
    ),
    (
        _month(1),
        "next month|nachsten monat|(?:le )?mois prochain|(?:el )?(?:proximo mes|mes que viene)|mes que vem"
        "|(?:il )?(?:mese prossimo|prossimo mese)|в следующем месяце",
        "下个?月|下個月|来月|다음 ?달|เดือนหน้า",
    ),
    (
        _month(0),
        "this month|diesen monat|ce mois-ci|este mes|questo mese|в этом месяце",
        "这个月|這個月|本月|今月|이번 ?달",
    ),
    (_year(-2), "the year before last|vorletztes jahr", "前年|おととし|재작년"),
    (
        _year(-1),
        "(?:last|past) year|letzt(?:es|en) jahre?|l'an(?:nee)? (?:dernier|passe)e?|(?:el )?ano pasado|ano passado"
        "|(?:l'anno scorso|lo scorso anno)|в прошлом году",
        "去年|昨年|작년|지난해|ปีที่แล้ว",
    ),
    (
        _year(1),
        "next year|nachst(?:es|en) jahre?|l'an(?:nee)? prochaine?|(?:el )?(?:proximo ano|ano que viene)|ano que vem"
        "|l'anno prossimo|в следующем году",
        "明年|来年|來年|내년|ปีหน้า",
    ),
    (_year(0), "this year|dieses jahr|cette annee|este ano|quest'anno|в этом году", "今年|올해|ปีนี้"),
)
_READINGS = (
    *((re.compile(pattern), reading) for pattern, reading in _CALENDAR),
    *((re.compile(rf"(?<!\w)(?:{spaced})(?!\w)|{unspaced}"), reading) for reading, spaced, unspaced in _RELATIVE),
)


def begins(text: str, observed_at: datetime) -> datetime | None:
    """Return the beginning of the one day, week, month or year that a sentence names.

    A week begins on Monday. `Next Friday` and `last Friday` are the nearest ones after and before that day, 上周五 and
    下周五 those of the week before and after. `Two months ago` is the first day of that month.

    Args:
        text: one sentence.
        observed_at: when it was said; relative dates are counted from the day in its own zone.

    Returns:
        midnight UTC, which may lie in the future; None where no date is said, more than one, or an unclear one.
    """
    rest = normalise(text).translate(FOLD)
    today = observed_at.date()
    found: set[date | None] = set()
    for pattern, reading in _READINGS:
        while match := pattern.search(rest):
            found.add(_read(reading, match, today))
            rest = rest[: match.start()] + " · " + rest[match.end() :]
            if None in found or len(found) > 1:
                return None
    return None if not found else datetime.combine(found.pop() or today, time.min, tzinfo=UTC)


def _read(reading: Reading, match: re.Match[str], today: date) -> date | None:
    """Return the day meant, or None for an end, a span or a day that does not exist."""
    text = match.string
    if _BEFORE.search(text[: match.start()]) or _AFTER.match(text, match.end()):
        return None
    try:
        return reading(match, today)
    except (ValueError, OverflowError):
        return None
