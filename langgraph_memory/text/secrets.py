"""Finds what must never be remembered word for word: keys, passwords, tokens, card and account numbers.

Only what has a known shape is found: a prefix that an issuer gives its keys, a check sum, or a value that is said to be
a password. There is no guessing by randomness, so order numbers, hashes and UUIDs pass. What it cannot find: a
password of plain words within a sentence, a key without prefix or name, seed phrases, and whatever was taken apart.
"""

from __future__ import annotations

import re
import unicodedata

from langgraph_memory.text.characters import CharTable, is_invisible

FEWEST_KINDS = 4
"""Different characters at the end of a key; fewer (`sk-xxxx...`) is a placeholder in some manual."""

_VISIBLE = CharTable(lambda char: "" if is_invisible(char) else char)

# Shapes as the issuers document them; most are also in the open rule sets of secret scanners.
_API_KEY = re.compile(
    r"""(?<![A-Za-z0-9])(?:
      sk-(?=[\w-]{0,200}\d)(?=[\w-]{0,200}?[A-Za-z0-9]{12})[\w-]{16,}   # OpenAI, Anthropic and their likes
    | (?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,} | whsec_[A-Za-z0-9+/]{16,}   # Stripe
    | (?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])   # AWS
    | AIza[\w-]{30,} | GOCSPX-[\w-]{20,} | ya29\.[\w-]{20,}   # Google
    | (?:hf|api_org)_[A-Za-z0-9]{20,}   # Hugging Face
    | SG\.[\w-]{16,}\.[\w-]{16,}   # SendGrid
    | dop_v1_[a-f0-9]{40,} | shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32} | gsk_[A-Za-z0-9]{30,} | xai-[A-Za-z0-9]{30,}
    | pplx-[A-Za-z0-9]{30,} | nvapi-[\w-]{30,} | r8_[A-Za-z0-9]{30,} | lsv2_(?:pt|sk)_[a-f0-9]{20,}\w*
    | AccountKey=[A-Za-z0-9+/]{40,}={0,2}   # Azure
    )""",
    re.VERBOSE,
)
_TOKEN = re.compile(
    r"""(?<![A-Za-z0-9])(?:
      gh[pousr]_[A-Za-z0-9]{16,} | github_pat_\w{20,} | gl(?:pat|dt|rt|ptt|cbt|ft)-[\w-]{16,}   # GitHub, GitLab
    | xox[abeoprs]-[A-Za-z0-9-]{10,} | xapp-\d-[A-Za-z0-9-]{10,}   # Slack
    | npm_[A-Za-z0-9]{20,} | pypi-[\w-]{16,} | rubygems_[a-f0-9]{32,} | dckr_pat_[\w-]{20,}   # package registries
    | \d{8,10}:AA[\w-]{30,}   # Telegram
    | eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}   # JSON web tokens
    )""",
    re.VERBOSE,
)
_BEARER = re.compile(
    r"\bbearer\s+(?=[\w.~+/-]{0,200}\d)[\w.~+/-]{16,}=*|\bauthorization\s*:\s*(?:basic|token)\s+[\w.~+/-]{8,}=*",
    re.IGNORECASE,
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|\bAGE-SECRET-KEY-1[A-Z0-9]{20,}"
)
_WEBHOOK = re.compile(
    r"hooks\.slack\.com/(?:services|workflows)/[A-Z0-9]+/[\w/]{6,}|discord(?:app)?\.com/api/webhooks/\d+/[\w-]{16,}"
    r"|\.webhook\.office\.com/webhookb2/[\w@-]{20,}"
)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@?#]{0,100}:([^\s/@]{1,200})@[^\s@]", re.IGNORECASE)

_PASSWORD_WORDS = (
    r"(?:pass[- ]?(?:word|wd|phrase|code)|pwd|mot de passe|mdp|passwort|kennwort|contraseña|clave|senha|palavra-passe"
    r"|parola|wachtwoord|lösenord(?:et)?|has[lł]o|heslo|şifre(?:m|n|si|miz|niz)?|mật khẩu|пароль|密码|密碼|口令"
    r"|パスワード|暗証番号|비밀번호|암호|รหัสผ่าน|كلمة (?:ال)?(?:مرور|سر)|पासवर्ड|סיסמ[האת])"
)
_KEY_WORDS = (
    r"(?:(?:api|access|auth|secret|private|encryption|account|refresh|client|app|bot|service)[-_ ]?"
    r"(?:access[-_ ]?)?(?:key|token|secret)|secret|token|密钥|密鑰|令牌|ключ api"
    r"|api[- ]?(?:ключ|schlüssel|sleutel|anahtar[ıi]|キー|키)|zug(?:angs|riffs)schlüssel"
    r"|(?:clé|clave|chave|chiave|klucz)(?: d['’]| de (?:la )?| da | do )? ?api)"
)
_BEFORE = r"(?<![a-z\d])"
_SIGN = r"[\"'`*]{0,2}\s{0,3}(?::=|=>|->|[:=])\s{0,3}"
_OF = (
    r"of|for|to|on|at|in|from|von|vom|der|des|für|bei|beim|zu|zum|zur|im|de|del|della|di|do|da|dos|das|du|pour|per|para"
    r"|van|voor|для|от|к|до|від|dla|na|pro|av|för|till|của|cho|של"
)
_NO_OWNER = r"manager|policy|reset|hint|safe|keeper|rules?|reader|book|vault|generator"
_OWNER = (  # the password of Alice, пароль Алисы, รหัสผ่านของอลิซ
    rf"(?:(?:\s+(?:{_OF})\s|\s+(?:d|dell|all|nell|l)['’]|\s?ของ)[^\n.:;?=]{{1,40}}?"
    rf"|(?!\s+(?:{_NO_OWNER})\b)(?:\s+(?-i:[A-ZÀ-ÞĀ-ŽА-ЯЁІЇЄҐ])[\w'’-]{{1,30}}){{1,2}}|(?:\s+[א-ת؀-ۿ]{{2,20}}){{1,2}})??"
)
_BE = r"is|was|are|es|era|fue|ist|war|lautete?|heißt|est|était|è|é|foi|to|jest|je|bylo?|är|var|là|это|был|це|був"
_NOW = r"now|still|currently|set to|changed to|jetzt|nun|ahora|maintenant|ora|agora|теперь|тепер|nu"
_IS = (
    rf"\s+(?:{_BE})(?:\s+(?:{_NOW}))?\s*:?\s+|\s+[-–—]\s+"
    r"|\s{0,2}(?:现在|現在)?(?:[是为為]|设[为成]|設[為成]|改[为成為]|は|が|[은는이가]|คือ|هي|هو|היא|הוא)\s*:?\s{0,2}"
)
_VALUE = r"(?P<quote>[\"'`“«「]?)(?P<value>[!#-&(-+\--:<-_a-~À-ӿ]{3,200})(?P<rest>[^\n]{0,3})"

_SAID = rf"{_OWNER}(?:(?P<sign>{_SIGN})|{_IS})"
_SAID_PASSWORD = re.compile(rf"{_BEFORE}{_PASSWORD_WORDS}{_SAID}{_VALUE}", re.IGNORECASE)
_SAID_KEY = re.compile(rf"{_BEFORE}{_KEY_WORDS}{_SAID}{_VALUE}", re.IGNORECASE)
_MIXED = r"(?<!\S)[\"'`“«「]?(?=\S{0,60}\d)(?=\S{0,60}[^\W\d])(?!\d+['’])[!-~À-ӿ]{5,60}?[\"'`”»」]?"
_WHOSE = (
    r"my|our|his|her|their|the|[\w-]+['’]s?|mein|unser|sein|ihr|das|mi|su|nuestra|la|mon|notre|son|le|mia|sua|minha"
    r"|a|мой|наш|его|её|moje|mijn"
)
_NO_VERB = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"पासवर्ड\s+{_MIXED}\s+है(?!\w)",
        rf"{_BEFORE}(?:пароль|كلمة (?:ال)?(?:مرور|سر))\s+{_MIXED}(?=[\s.!,;)]|$)",
        rf"{_BEFORE}(?:şifre|parola)(?:m|n|s[iı]|m[iı]z|n[iı]z)\s+{_MIXED}(?=[\s.!,;)]|$)",
        rf"{_MIXED}\s+(?:is|as|ist|als|es|como|est|comme|è|come|é|это|to|là)\s+(?:{_WHOSE})\s+(?:[\w-]{{1,20}}\s+)?"
        rf"{_PASSWORD_WORDS}(?=[.!,;)\n]|$|\s+(?:{_OF})\s)",  # hunter2x is my password
    )
)
_PIN_IS = rf"{_OWNER}(?:{_SIGN}|{_IS})"
_PIN_ENDS = r"(?![\d_]|[-/.:]\d)"
_PIN = re.compile(
    rf"(?<![a-zа-я\d_])(?:pin|пин|пін)(?:[- ]?(?:number|nummer|nr\.?|numara[ms]ı?))?{_PIN_IS}\d{{4,6}}{_PIN_ENDS}"
    rf"|(?<![a-zа-я\d_])(?:pin|пин|пін)[- ]?(?:code|kod\w{{0,2}}|код|码|碼|コード|번호){_PIN_IS}\d{{4}}{_PIN_ENDS}"
    r"|\b(?:cvv2?|cvc2?)(?:\s+(?:is|code)\s+|\s*[:=]\s*|\s)\d{3,4}\b",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:ssn|social security (?:number|no\.?))\b[^\d\n]{0,30}\d{3}[- ]?\d\d[- ]?\d{4}(?!\d)", re.IGNORECASE
)
_ONE_TIME = re.compile(
    r"\b(?:otp|one[- ]time (?:pass)?(?:code|word|passcode|password|pin)|(?:verification|security|login|sms|2fa|mfa"
    r"|authentication) code|einmalcode|tan)\b(?: \w+){0,3}?\s?(?::|=|is|ist|lautet)\s?"
    r"(?:[A-Z]-)?\d{3}[- ]?\d{1,5}(?!\d)"
    r"|(?:验证码|驗證碼|認証コード|인증번호)[^\d\n]{0,6}\d{4,8}(?!\d)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"<.*|\$.*|\{.*|%\w+%?|\[.*|\(.*|[*•●x_.…#-]+|(?:your|my|the|some|enter|insert)[-_ ].*|(?:os|process)\.env.*"
    r"|getenv.*|null|none|nil|true|false|str|string|int|required|optional|hidden|redacted|unknown|empty|same|changed"
    r"|reset|expired|forgot|forgotten|vergessen|oublié|olvidada|esquecida|забыл|забыла|wrong|incorrect|invalid|missing"
    r"|weak|strong|safe|secure|secret|private|saved|stored|n/a|tbd|yes|no|ok",
    re.IGNORECASE,
)
_COPULAS = ("です", "だよ", "입니", "이에", "예요", "이야", "ครับ", "ค่ะ", "है")  # behind a value
_COUNTED = re.compile(
    r"\d+-?(?:char(?:acter)?s?|digits?|letters?|words?|bits?|位|桁|文字)\b.*|\d{4}-\d\d-\d\d|\d{1,2}[:/]\d\d\S*",
    re.IGNORECASE,
)

_DIGITS = re.compile(r"(?<![A-Za-z0-9_.,/-])\d(?:[ -]?\d){12,18}(?![A-Za-z0-9_/-]|[.,]\d)")
_NUMBERED = re.compile(
    r"(?:order|invoice|tracking|ticket|case|reference|ref|booking|parcel|shipment|serial|imei|isbn|id|bestell\w*|pedido"
    r"|commande|订单|訂單|单号|單號|编号|快递|注文|заказ\w*)\W{0,3}(?:number|no|nr|num|id|番号|号|號)?\.?\W{0,3}"
    r"(?:is|was|是|ist|es|est)?\W{0,3}$|#\s?$",
    re.IGNORECASE,
)
# Issuer prefix and lengths (ISO/IEC 7812), so that few other long numbers pass for a card.
_CARD = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}"
    r"|6(?:011|5\d\d|4[4-9]\d|2\d\d)\d{12,15}"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]{2})\d\d(?: ?[A-Za-z0-9]){11,30}")
# Length by country (SWIFT IBAN registry).
_IBAN_LENGTHS = """
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18
    FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
    LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27
    ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20
"""
_LENGTH = {item[:2]: int(item[2:]) for item in _IBAN_LENGTHS.split()}


def find_secret(text: str) -> str | None:
    """Name the kind of the first secret in a text, or return None; the secret itself is never part of the answer.

    Args:
        text: any text; full-width letters and invisible characters hide nothing.

    Returns:
        `private key`, `password in a url`, `webhook`, `api key`, `token`, `card number`, `iban`, `personal number`,
        `one-time code` or `password`.
    """
    text = unicodedata.normalize("NFKC", text.translate(_VISIBLE))
    if _PRIVATE_KEY.search(text):
        return "private key"
    if any(not _PLACEHOLDER.fullmatch(match[1]) for match in _URL.finditer(text)):
        return "password in a url"
    if _WEBHOOK.search(text):
        return "webhook"
    if _real(_API_KEY, text) or any(_is_key(match) for match in _SAID_KEY.finditer(text)):
        return "api key"
    if _real(_TOKEN, text) or _real(_BEARER, text):
        return "token"
    if any(_is_card(match, text) for match in _DIGITS.finditer(text)):
        return "card number"
    if any(_is_iban(match[0]) for match in _IBAN.finditer(text)):
        return "iban"
    if _PERSONAL.search(text):
        return "personal number"
    if _ONE_TIME.search(text):
        return "one-time code"
    if _PIN.search(text) or any(shape.search(text) for shape in _NO_VERB):
        return "password"
    if any(_is_password(match) for match in _SAID_PASSWORD.finditer(text)):
        return "password"
    return None


def _real(shape: re.Pattern[str], text: str) -> bool:
    return any(len(set(match[0][-12:])) >= FEWEST_KINDS for match in shape.finditer(text))


def _is_key(match: re.Match[str]) -> bool:
    """Say whether what is called a key or token can be one: 8 or more characters with letters and digits."""
    value = match["value"].rstrip(".!?。！？)")
    if _PLACEHOLDER.fullmatch(value) or _COUNTED.fullmatch(value) or "://" in value:
        return False
    return len(value) >= 8 and bool(re.search(r"\d", value)) and bool(re.search(r"[A-Za-z]", value))


def _is_password(match: re.Match[str]) -> bool:
    """Say whether what is called a password can be one, rather than a remark about it."""
    value = match["value"].rstrip(".!?。！？)")
    if len(value) < 4 or _PLACEHOLDER.fullmatch(value) or _COUNTED.fullmatch(value):
        return False
    rest = match["rest"].strip(" \t\"'`”»」.!?。！？,;，；)*")
    alone = not rest or rest.startswith(_COPULAS)
    if value.isdigit():
        return alone
    if re.search(r"[\d_]|[^\w.'’/-]", value):
        return True
    return value.isascii() and (bool(match["quote"]) or (match["sign"] is not None and alone))


def _is_card(match: re.Match[str], text: str) -> bool:
    digits = re.sub(r"\D", "", match[0])
    if not _CARD.fullmatch(digits) or _NUMBERED.search(text[max(0, match.start() - 40) : match.start()]):
        return False
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(doubled) + sum(map(int, digits[::-2]))) % 10 == 0  # Luhn, ISO/IEC 7812-1


def _is_iban(found: str) -> bool:
    letters = found.replace(" ", "").upper()
    letters = letters[: _LENGTH.get(letters[:2], 0)]
    if not letters or len(letters) < _LENGTH[letters[:2]]:
        return False
    return int("".join(str(int(char, 36)) for char in letters[4:] + letters[:4])) % 97 == 1  # ISO 7064
