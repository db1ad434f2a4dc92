"""Secrets are found by their shape; talk about secrets, and long numbers that are none, pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.text.secrets import find_secret

# Put together here so that no scanner takes this file for a leak.
RUN = "Ab3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
SECRETS = [
    ("api key", f"my key is sk-{RUN}"),
    ("api key", f"use sk-proj-{RUN}-x_y for this"),
    ("api key", f"sk-ant-api03-{RUN}"),
    ("api key", f"全角：ｓｋ－{RUN}"),
    ("api key", f"s\u200bk-{RUN}"),
    ("api key", "sk" + "_live_" + RUN[:24]),
    ("api key", "rk" + "_test_" + RUN[:24]),
    ("api key", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("api key", "AIza" + RUN[:35]),
    ("api key", "hf_" + RUN[:34]),
    ("api key", "SG." + RUN[:22] + "." + RUN),
    ("api key", "OPENAI_API_KEY=" + RUN),
    ("api key", 'api_key: "' + RUN + '"'),
    ("api key", "the access token is " + RUN[:20]),
    ("api key", '{"client_secret": "' + RUN + '"}'),
    ("token", "ghp_" + RUN),
    ("token", "gho_" + RUN),
    ("token", "github_pat_11" + RUN + RUN),
    ("token", "glpat-" + RUN[:20]),
    ("token", "xoxb-" + "123456789012-" + RUN[:24]),
    ("token", "npm_" + RUN),
    ("token", "pypi-AgEIcHlwaS5vcmc" + RUN),
    ("token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpM"),
    ("token", "Authorization: Bearer " + RUN),
    ("token", "Authorization: Basic dXNlcjpwYXNz"),
    ("webhook", "https://hooks.slack.com/services/" + "T00000000/B00000000/" + RUN[:24]),
    ("webhook", "https://discord.com/api/webhooks/123456789/" + RUN),
    ("private key", "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE"),
    ("private key", "-----BEGIN " + "PRIVATE KEY-----"),
    ("private key", "-----BEGIN OPENSSH " + "PRIVATE KEY-----"),
    ("private key", "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----"),
    ("password in a url", "postgresql://ana:hunter2@db.example.com/app"),
    ("password in a url", "redis://:s3cret@localhost:6379/0"),
    ("password in a url", "the mirror is at https://bob:pa55@files.example.com/x"),
    ("password", "password: hunter2"),
    ("password", "Password: swordfish"),
    ("password", "DB_PASSWORD=correcthorse"),
    ("password", "passwd=abc123"),
    ("password", "pwd = 'letmein'"),
    ("password", '"password": "opensesame"'),
    ("password", "My wifi password is hunter2."),
    ("password", "the password for the printer is 'swordfish'"),
    ("password", "she set her password to Tr0ub4dor&3 yesterday"),
    ("password", "The password is 12345678."),
    ("password", "密码：abc123"),
    ("password", "我的密码是abc123，别忘了"),
    ("password", "銀行密碼是 123456"),
    ("password", "пароль: qwerty"),
    ("password", "Мой пароль — солнце123"),
    ("password", "パスワードはhunter2です"),
    ("password", "비밀번호: hunter2"),
    ("password", "la contraseña es hunter2"),
    ("password", "mot de passe : azerty1"),
    ("password", "Mein Passwort ist hunter2"),
    ("password", "senha: abc123"),
    ("password", "كلمة المرور: hunter2"),
    ("password", "รหัสผ่าน: hunter2"),
    ("password", "my PIN is 4821"),
    ("password", "cvv: 123"),
    ("card number", "4539 1488 0343 6467"),
    ("card number", "my card is 4539148803436467, exp 09/29"),
    ("card number", "5500-0000-0000-0004"),
    ("card number", "amex 3782 822463 10005"),
    ("card number", "卡号4539148803436467。"),
    ("iban", "DE89 3704 0044 0532 0130 00"),
    ("iban", "my IBAN is GB82WEST12345698765432 and I live in Leeds"),
    ("iban", "NL91 ABNA 0417 1643 00 is the account"),
    ("iban", "nl91abna0417164300"),
]

HARMLESS = [
    "my password manager is Bitwarden",
    "I forgot my password again.",
    "The password is too short.",
    "The password is at least 12 characters long.",
    "her password is 20-character nonsense",
    "My password is expired",
    "Password: forgotten",
    "password: ********",
    "password: <your password>",
    "password=${DB_PASSWORD}",
    "password: xxxx",
    "She changed her password on 2024-05-01.",
    "the password reset was on Monday",
    "Ana keeps a secret: she hates opera.",
    "The secret is out.",
    "secret: patience",
    "The token is worth 3 dollars.",
    "max_token: 4096",
    "token limit: 4096",
    "our api key is missing",
    "api_key: YOUR_API_KEY_1",
    "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx",
    "set api_key to os.environ['OPENAI_API_KEY1']",
    "api key: <key123456>",
    "I use sk-learn and scikit-learn every day",
    "the branch is called sk-fix-the-second-bug",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "order number 4539148803436467",
    "my order #4539148803436467 has not come",
    "订单号是4539148803436467",
    "tracking no. 4539148803436467",
    "order 1234567890123456",
    "550e8400-e29b-41d4-a716-446655440000",
    "my IMEI is 356938035643809",
    "ISBN 978-3-16-148410-0",
    "call me at +49 170 1234567",
    "the timestamp was 1714564800000",
    "account DE00 3704 0044 0532 0130 00 does not exist",
    "PIN code: 560001",
    "I pinned it in 2024",
    "My pin is 2024-05-01 no more",
    "https://example.com:8080/path@version",
    "see https://user@example.com/path",
    "postgresql://ana:<password>@localhost/app",
    "postgresql://ana:${PASSWORD}@localhost/app",
    "mail ana@example.com or bob@example.org: both work",
    "我的密码管理器是Bitwarden",
    "密码：我忘了",
    "密码是我女儿的生日",
    "パスワードを忘れました",
    "パスワードは8文字以上です",
    "я забыл пароль",
    "пароль: забыл",
    "olvidé la contraseña",
    "la clave es la paciencia",
    "La clé est sous le paillasson",
    "The bearer of this letter is my cousin",
    "bearer bonds are out of fashion these days",
    "She passes the word on: nobody listens",
    "Version 1.2.3 came out on 2026-05-03 at 10:30",
    "pi is 3.14159265358979323846",
    "bitcoin costs 4,539,148,803,436,467 wei",
    "-----BEGIN PUBLIC KEY-----",
    "",
    "   ",
]


@pytest.mark.parametrize(("kind", "text"), SECRETS)
def test_a_secret_is_named_and_never_repeated(kind: str, text: str) -> None:
    assert find_secret(text) == kind
    assert find_secret(f"By the way,\n{text}\nis what I use.") is not None


@pytest.mark.parametrize("text", HARMLESS)
def test_talk_about_secrets_and_other_numbers_pass(text: str) -> None:
    assert find_secret(text) is None


@given(st.text(max_size=300))
def test_any_text_can_be_asked_about(text: str) -> None:
    assert find_secret(text) is None or text.strip()


@pytest.mark.parametrize(
    "piece",
    ["sk-", "a:b@", "password is ", "1 ", "DE89 ", "eyJ", "pin for ", "://", "x://:", "token for ", "---", "bearer 1"],
)
def test_long_repetitions_do_not_run_away(piece: str) -> None:
    find_secret(piece * 5_000)
