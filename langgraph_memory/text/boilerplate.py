"""Finds text without content: greetings, thanks, an assistant's set phrases, and remarks about the conversation.

A text is boilerplate only where every sentence of it is, so "Thanks! I moved to Oslo." passes. Set phrases are known
in English, Chinese, Japanese, Korean, Spanish, French, German, Russian, Portuguese, Italian, Arabic and Thai;
elsewhere an empty phrase passes as content.
"""

from __future__ import annotations

import re

from langgraph_memory.text.characters import FOLD
from langgraph_memory.text.normalise import normalise
from langgraph_memory.text.sentences import split_sentences

LONGEST_ADDRESS = 3
"""Words that may follow a greeting or thanks as the name of who is greeted."""

_SIGNS = re.compile(r"[\s!-/:-@\[-`{-~。！？，、…～·]+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Written as they look without case and accents.
_GREETING = _words(
    """hi hello hey heya hiya yo dear thanks thank thx ty cheers bye goodbye congrats congratulations welcome morning
    evening hola gracias buenos buenas dias tardes noches adios bonjour bonsoir salut merci coucou hallo danke
    servus moin guten tschuss ciao grazie buongiorno buonasera ola obrigado obrigada oi tchau привет здравствуй
    здравствуите здравствуйте спасибо пока مرحبا شكرا اهلا"""
)
_FILLER = _GREETING | _words(
    """ok okay k kk yes yeah yep yup no nope nah sure right exactly indeed totally absolutely definitely certainly
    alright fine good great nice cool awesome amazing wonderful perfect excellent lovely sweet wow oh ah aw aww
    haha lol hmm um uh well so very much a lot you too there all again everyone guys night afternoon day see later
    soon take care got it of course no problem worries np please sounds looks that's thats it's its really for
    everything have si vale bien muy mucho muchas claro perfecto de nada que tal por favor oui non d'accord
    daccord super parfait beaucoup bien sur au revoir rien svp ja nein gut schon sehr vielen dank gerne bitte tag
    abend nacht auf wiedersehen klar genau prima va bene perfetto prego certo arrivederci sim nao tudo bem legal
    muito de claro tchau да нет хорошо ладно ок понятно большое пожалуйста отлично до свидания доброе утро добрыи
    добрый день вечер конечно نعم لا حسنا جزيلا السلام عليكم شكرا"""
)
_UNSPACED = re.compile(
    r"(?:好的|好|嗯+|哦+|噢|啊|呀|吧|哈+|嘿|嗨|行|对|對|是的|是|可以|没问题|沒問題|明白了?|知道了|懂了|收到|谢谢"
    r"|謝謝|多谢|多謝|感谢|感謝|不客气|不客氣|你|您|大家|们|們|你好|您好|早上好|早安|晚上好|晚安|下午好|再见|再見"
    r"|拜拜|太好了|太棒了|真的|非常|了|的|ok|こんにちは|こんばんは|おはよう|ありがとう|ございます|ございました"
    r"|どうも|はい|いいえ|うん|ええ|わかりました|分かりました|了解|です|しました|承知|お願い|します|よろしく"
    r"|さようなら|またね|すごい|いいね|なるほど|ね|よ|本当に|안녕|하세요|감사|합니다|해요|고마워요?|네+|예|아니요"
    r"|알겠습니다|알겠어요|좋아요|좋네요|수고하세요|정말|ㅋ+|ㅎ+|สวัสดี|ขอบคุณ|มาก|ครับ|ค่ะ|คะ|นะ|จ้า|โอเค|ได้|ใช่"
    r"|ไม่เป็นไร)+"
)

_HELP = r"(?:help|assist)(?:ing)?(?: you)?(?: out)?(?: (?:with|further|today|in|on|anytime)\b.{0,60})?"
_AI = (
    r"(?:ai|artificial intelligence|(?:large )?(?:ai )?language model|virtual assistant)"
    r"(?: (?:language )?model| assistant| chatbot| system)?"
)
_PHRASES = re.compile(
    "|".join(
        (
            rf"(?:i(?:'m| am|'d be| would be|'ll be)|always|more than) (?:always |very |so |more than )?(?:happy"
            rf"|glad|here|ready|pleased|delighted) to {_HELP}",
            r"(?:please |so |and )?(?:feel free|don't hesitate|do not hesitate) to"
            r" (?:ask|reach|contact|let|share|tell|message)\b.*",
            r"(?:please |just )?let me know (?:if|how|what|when|whether|should)\b.*",
            r"(?:is there |do you have )?any(?:thing else|thing| other questions?| questions?)(?: i can| you"
            r"| that i)\b.*|any(?: other)? questions",
            rf"(?:how|what) (?:can|may|else can) i (?:do to )?(?:{_HELP}|do for you)(?: today)?",
            r"i hope (?:this|that|it|these) (?:information |answer )?helps?(?: you)?(?: out)?",
            r"(?:you're|you are) (?:very |most |always )?welcome|my pleasure|no problem(?: at all)?",
            rf"as an? {_AI},? (?:i|my|we)\b.*|as an? {_AI}",
            rf"i(?:'m| am) (?:just |only )?an? {_AI}(?:$|[,;]| (?:and|so|but|that|without|who|which|created"
            rf"|developed|trained|designed|built|made|here)\b).*",
            r"i (?:do not|don't) have personal (?:opinions?|experiences?|feelings?|preferences?|beliefs?"
            r"|emotions?)\b.*",
            r"(?:i'm |i am )?sorry,? (?:but )?i (?:can't|cannot|am unable to|am not able to)"
            r" (?:help|assist|do that|provide|comply|fulfil+|answer)\b.*",
            r"(?:(?:sure|certainly|of course|absolutely)(?: thing)?[,!.]? )?here(?:'s| is| are)"
            r" (?:a (?:short |quick )?(?:list|summary|few)|some (?:ideas|tips|suggestions|options|ways|steps"
            r"|examples)|what i found|how you can)\b(?! my\b).*",
            r"(?:sure|certainly|of course|absolutely)(?: thing)?[,!.]? (?:i(?:'d| would) be (?:happy|glad) to\b.*"
            r"|i can (?:help|assist)\b.*|let me help\b.*)",
            r"(?:that's|that is|what) (?:a |an )?(?:really |very )?(?:great|good|excellent|interesting"
            r"|fantastic) question",
            r"(?:thank you|thanks)(?: so much| very much| a lot)? for (?:sharing|asking|reaching out|letting me know"
            r"|the (?:info|information|tip|help|advice)|your (?:question|message|patience|help|time|support|advice"
            r"|answer))(?: \w+){0,4}",
            r"(?:the )?(?:user|human|assistant|customer)s? (?:(?:has|have|had|is|was|then|also"
            r"|just) )*(?:(?:ask(?:s|ed|ing)?|inquir(?:es|ed|ing)|wonder(?:s|ed|ing))"
            r" (?:about|for|how|what|whether|if|why|when|where|who|which|the assistant|a question|questions|me"
            r"|to know)|(?:request(?:s|ed|ing)) (?:information|help|assistance|advice|a summary|clarification"
            r"|that the assistant)|(?:want(?:s|ed)|would like) to know|(?:greet|thank)(?:s|ed|ing)"
            r"|(?:says?|said) (?:hi|hello|thanks|thank you|goodbye)|look(?:s|ed|ing) for (?:information|help)"
            r"|respond(?:s|ed)|repli(?:es|ed)|answer(?:s|ed)|acknowledg(?:es|ed)"
            r"|offer(?:s|ed) (?:to help|help|assistance)|provid(?:es|ed) (?:information|some information|help"
            r"|a response|an answer|assistance)|(?:started|initiated|ended|opened)"
            r" (?:a|the) (?:conversation|chat))\b.*",
            r"(?:the )?(?:user and (?:the )?assistant|assistant and (?:the )?user|conversation|chat|discussion)"
            r" (?:is|was|were|has been|have been|discuss(?:es|ed)?|talk(?:s|ed)? about|began|started|ended|about"
            r"|covers?|covered)\b.*",
            # Spanish, Portuguese, Italian, French, German
            r"como (?:una? )?(?:ia|modelo de (?:lenguaje|linguagem)|inteligencia artificial|asistente virtual"
            r"|assistente virtual)\b,? .*",
            r"(?:el usuario|la usuaria|o usuario) (?:pregunt\w+|ha preguntado|pidio (?:informacion|ayuda)"
            r"|quiere saber|quer saber|salud\w+|agradec\w+|cumpriment\w+)\b.*",
            r"(?:estoy|estare|estaria|sera un|fico|ficarei)? ?(?:encantad[oa]|feliz|un placer|placer|prazer)"
            r" (?:de|en|em) (?:ayudar|ajudar)\w*\b.*",
            r"no dud(?:es|e) en .*|(?:avisame|hazme saber|dime|me avise|avise-me) si\b.*"
            r"|(?:en|em) que (?:puedo|mas puedo|posso) (?:te )?(?:ayudar|ajudar)\w*.*|hay algo mas en (?:lo )?que.*",
            r"(?:in quanto|come) (?:ia|intelligenza artificiale|modello linguistico|assistente virtuale)\b.*"
            r"|l'utente (?:ha chiesto|chiede|vuole sapere|ha salutato|ha ringraziato)\b.*"
            r"|(?:sono|saro) (?:felice|lieto|qui) (?:di|per) aiutar\w+.*|fammi sapere\b.*|come posso aiutar\w+.*",
            r"en tant qu(?:'|e )(?:ia|intelligence artificielle|assistante? (?:ia|virtuel\w*)|modele de langage)\b.*"
            r"|l'utilisat(?:eur|rice) (?:a demande|demande|a salue|a remercie|souhaite savoir|veut savoir)\b.*"
            r"|n'hesite[sz]? pas a .*|(?:je suis |je serais )?(?:ravie?|heureux|heureuse) de"
            r" (?:vous |t'|pouvoir )?aider.*|comment puis-je (?:vous |t')?aider.*"
            r"|(?:dis|dites|fais|faites)-(?:le )?moi si .*",
            r"als (?:kunstliche intelligenz|ki(?:-(?:modell|assistent|sprachmodell))?|sprachmodell),?"
            r" (?:kann|habe|bin|darf|besitze)\b.*|(?:der|die) (?:nutzer|benutzer|user)(?:in)?"
            r" (?:fragte?|hat gefragt|erkundigte?|mochte wissen|wollte wissen|bedankte?|grusste?|begrusste?)\b.*"
            r"|(?:wie|womit) kann ich (?:dir|ihnen|euch)(?: \w+)? helfen.*|ich helfe (?:dir|ihnen|euch) gerne?.*"
            r"|lass(?:en sie)? (?:es )?mich wissen.*",
            # Russian
            r"пользователь(?:ница)? (?:спросил|спрашива|поинтересовал|попросил (?:рассказать|помочь|объяснить)"
            r"|поблагодарил|поздоровал|интересу|хочет узнать|хотел узнать)\w*.*"
            r"|как (?:ии|искусственныи интеллект|искусственный интеллект|языковая модель)\b,? .*"
            r"|(?:чем|как) (?:я )?могу (?:вам |тебе )?помочь.*|(?:я )?(?:буду )?рада? помочь.*|даи(?:те)? знать.*"
            r"|дай(?:те)? знать.*|не стесня(?:итесь|йтесь).*",
            # Chinese, Japanese, Korean
            r"(?:该|此)?(?:用户|用戶|使用者)(?:询问|詢問|提问|提問|问|問|咨询|諮詢|请求|請求|想知道|想了解|打招呼"
            r"|打了招呼|表示感谢|表示感謝|发送|要求助手|向助手).*",
            r"(?:该|此)?助手(?:回答|回复|回覆|回應|回应|提供了?信息|解释|解釋|打招呼|问候).*"
            r"|(?:作为|作為)(?:一个|一個|一名)?(?:ai|人工智能|人工智慧|语言模型|語言模型).*",
            r"(?:我)?(?:很|非常)?(?:高兴|高興|乐意|樂意)(?:能)?(?:帮助|幫助|为您|為您|为你|為你|帮到).*"
            r"|(?:如果|若)?(?:您|你)?(?:还|還)?有(?:任何|其他|什么|什麼|别的)?.{0,6}(?:问题|問題|需要).{0,12}(?:请"
            r"|請|随时|隨時|告诉|告訴|问我|問我|提问).*",
            r"希望(?:这|這|以上|对|對).{0,12}(?:帮助|幫助|有用).*|(?:有什么|有什麼|请问有什么)?(?:可以|我能|我可以"
            r"|能)?.{0,3}(?:帮|幫)(?:您|你|助您|助你|到您|到你)(?:的)?(?:吗|嗎)?|(?:请|請)(?:随时|隨時).*"
            r"|(?:我们|双方|雙方)(?:讨论|討論|聊)了.{0,4}(?:话题|對話|对话).*",
            r"ユーザー(?:は|が).*(?:尋ね|質問|聞い|聞き|挨拶|お礼).*|(?:私は)?ai(?:アシスタント|言語モデル"
            r"|モデル)?(?:として|なので|ですので|です).*|(?:他に|ほかに|何か).{0,12}(?:ご質問|お手伝い|質問).*"
            r"|お役に立てて.*|お手伝いできる.*",
            r"사용자(?:는|가|님이) .*(?:물었|질문|문의|인사|요청).*|(?:저는 )?(?:ai|인공지능|언어 모델)(?:로서"
            r"|이기 때문에|이므로).*|(?:더 )?(?:궁금한|도움이 필요).*(?:말씀|알려|물어).*|무엇을 도와드릴까요",
        )
    )
)


def find_boilerplate(text: str) -> str | None:
    """Say what kind of empty phrase a text consists of, or return None where any of it may be content.

    Returns:
        `greeting` (also thanks and fillers), or `set phrase` (also remarks about the conversation). None for
        the blank text: it has no phrase at all.
    """
    kind = None
    for sentence in split_sentences(text):
        plain = normalise(sentence).translate(FOLD)
        if not _WORD.search(plain):
            continue
        if _is_greeting(plain):
            kind = kind or "greeting"
        elif _PHRASES.fullmatch(plain.strip(" .!?？:,;)(-~…。！，*_\"'“”")):
            kind = "set phrase"
        else:
            return None
    return kind


def _is_greeting(plain: str) -> bool:
    words = _WORD.findall(plain)
    named = [word for word in words if word not in _FILLER]
    if not named:
        return True
    if _UNSPACED.fullmatch(_SIGNS.sub("", plain)):
        return True
    greeted = words[0] in _GREETING or words[-1] in _GREETING
    return greeted and len(named) == 1 and len(words) <= LONGEST_ADDRESS + 1
