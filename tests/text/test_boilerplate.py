"""A text without content is found in many languages; one sentence of content saves the whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.text.boilerplate import find_boilerplate

EMPTY = [
    *(
        "Hi",
        "Hello!",
        "Hey Caroline!",
        "Thanks, Mel!",
        "Thank you so much.",
        "OK",
        "Sure, sounds good!",
        "Bye Jon, take care!",
    ),
    *("Good morning", "Haha lol", "You're welcome!", "Thanks! You too.", "Wow. Great.", "yes", "👍 ok"),
    *("好的", "谢谢", "你好", "好的，谢谢你！", "嗯嗯", "收到，明白了", "再见！", "謝謝您", "早上好"),
    *(
        "こんにちは",
        "ありがとうございます。",
        "はい、わかりました",
        "안녕하세요",
        "네, 감사합니다!",
        "สวัสดีครับ",
        "ขอบคุณมากค่ะ",
    ),
    *(
        "¡Hola!",
        "Muchas gracias",
        "Buenos días, Ana",
        "Bonjour",
        "Merci beaucoup !",
        "Guten Morgen",
        "Vielen Dank!",
        "Hallo Max",
    ),
    *(
        "Привет!",
        "Спасибо большое",
        "Доброе утро",
        "Olá, tudo bem",
        "Ciao, grazie",
        "مرحبا",
        "شكرا جزيلا",
        "السلام عليكم",
    ),
    "I'm happy to help!",
    "I am always glad to assist you with that.",
    "Let me know if you need anything else.",
    "Feel free to ask.",
    "Is there anything else I can do for you?",
    "How can I help you today?",
    "As an AI language model, I do not have feelings.",
    "As an AI, I cannot eat.",
    "I'm an AI assistant created to help.",
    "I don't have personal opinions on this.",
    "I'm sorry, but I can't help with that.",
    "Sure! Here's a list of ideas:",
    "That's a great question!",
    "Thanks for sharing!",
    "I hope this helps. Let me know how it goes!",
    "The user asked about the weather in Oslo.",
    "User asked how to bake bread.",
    "The user is asking whether cats swim.",
    "The user wants to know the time.",
    "The user greeted the assistant.",
    "The assistant answered the question.",
    "The user and the assistant discussed travel.",
    "The conversation was about bread.",
    "用户询问了关于面包的问题。",
    "使用者詢問天氣",
    "用户想了解北京的天气",
    "作为一个AI语言模型，我没有感情。",
    "很高兴能帮助您！",
    "如果您还有其他问题，请随时告诉我。",
    "希望这对您有帮助",
    "有什么可以帮您的吗？",
    "ユーザーは天気について尋ねました。",
    "AIアシスタントとして、感情はありません。",
    "사용자는 날씨에 대해 물었다.",
    "Como modelo de lenguaje, no tengo sentimientos.",
    "El usuario preguntó por el tiempo.",
    "No dudes en preguntarme.",
    "En tant qu'IA, je n'ai pas de sentiments.",
    "L'utilisateur a demandé la météo.",
    "N'hésitez pas à me demander.",
    "Als KI habe ich keine Gefühle.",
    "Der Nutzer fragte nach dem Wetter.",
    "Wie kann ich dir helfen?",
    "Пользователь спросил о погоде.",
    "Чем я могу помочь?",
]

CONTENT = [
    "Thanks! I moved to Oslo.",
    "I'm happy to help Ana move on Saturday.",
    "I am happy.",
    "As an AI researcher, I live in Zurich.",
    "I'm an AI researcher at Acme.",
    "I am an AI assistant developer.",
    "The user asked Ana to marry him.",
    "The user lives in Oslo.",
    "The user requested a window seat.",
    "The assistant recommended a hotel in Oslo.",
    "You're welcome to stay at my place in Oslo.",
    "I'm sorry, but I can't eat nuts.",
    "Hello Kitty is my daughter's favourite.",
    "I don't have a car.",
    "Morning runs are my thing.",
    "Thanks to Ana I found a flat in Oslo.",
    "No nuts for me, thanks to an allergy.",
    "I like it",
    "我喜欢茶",
    "好的，我住在北京。",
    "谢谢，我叫王芳",
    "用户住在北京。",
    "用户喜欢茶",
    "你好，我是李明",
    "東京に住んでいます",
    "저는 서울에 살아요",
    "Gracias, vivo en Madrid.",
    "Merci, j'habite à Lyon.",
    "Als KI-Forscherin lebe ich in Bonn.",
    "Der Nutzer wohnt in Bonn.",
    "Спасибо, я живу в Москве.",
    "Пользователь живёт в Москве.",
    "12 May",
    "Oslo",
]


@pytest.mark.parametrize("text", EMPTY)
def test_an_empty_phrase_is_found(text: str) -> None:
    assert find_boilerplate(text) in {"greeting", "set phrase"}
    assert find_boilerplate(f"Thanks!\n{text}") is not None
    assert find_boilerplate(f"{text}\nI live in Oslo.") is None


@pytest.mark.parametrize("text", CONTENT)
def test_content_passes(text: str) -> None:
    assert find_boilerplate(text) is None


@pytest.mark.parametrize("text", ["", "  \n", "...", "👍"])
def test_a_text_without_words_has_no_phrase(text: str) -> None:
    assert find_boilerplate(text) is None


@given(st.text(max_size=200))
def test_any_text_can_be_asked_about(text: str) -> None:
    find_boilerplate(text)


@pytest.mark.parametrize("piece", ["好的", "thanks ", "let me know if ", "the user was then also ", "ㅋ", "如果你还有"])
def test_long_repetitions_do_not_run_away(piece: str) -> None:
    find_boilerplate(piece * 2_000)
