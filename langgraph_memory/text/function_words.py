"""Function words of the languages that put blanks between words, to tell how a question asks from what it asks about.

Question words, pronouns, articles, auxiliaries, prepositions and postpositions, and the verb of "what is it called".
English has its own list (`stopwords.STOP_WORDS`). Only the report of what was asked and not found uses these; search
takes every word as it stands, because a rare word of one language is a function word of another (German `die`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from langgraph_memory.text.characters import FOLD

_LATIN = {
    "de": """
        der die das den dem des ein eine einen einem einer eines kein keine keinen ich du er sie es wir ihr mich mir
        dich dir ihn ihm uns euch ihnen sich mein meine meinen meinem meiner meines dein deine deinen deinem deiner sein
        seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere unseren unserem unserer euer eure man wer wen wem
        wessen was wo wohin woher wann warum wieso weshalb wie welche welcher welches welchen welchem womit wofür woran
        worin viel viele ist bin bist sind seid war waren warst hat habe hast haben hatte hatten hattest wird werde
        werden wurde wurden kann können konnte muss müssen soll will darf und oder aber denn in im an am auf aus bei
        beim mit nach von vom vor zu zum zur für über unter um bis durch ohne gegen nicht auch noch schon als ob dass
        heißt heißen heiße heißt""",
    "fr": """
        le la les l un une des du de d au aux ce cet cette ces c je j tu t il elle on nous vous ils elles me m te se s
        moi toi lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos qui que qu quoi quel quelle quels
        quelles où quand comment pourquoi combien lequel laquelle est es suis sont sommes êtes était étaient été ai as
        a ont avons avez avait avaient fait ont et ou mais donc si ne n pas plus y en à dans sur sous avec sans pour
        par chez vers entre depuis appelle appellent appelles""",
    "es": """
        el la los las lo un una unos unas de del al yo tú él ella usted nosotros nosotras ellos ellas ustedes vosotros
        me te se nos os le les mi mis tu tus su sus mío mía mí nuestro nuestra nuestros nuestras qué que quién quiénes
        quien cuál cuáles dónde adónde cuándo cómo cuánto cuánta cuántos cuántas este esta estos estas ese esa eso esto
        es soy eres son somos era eran fue fueron ser está estoy estás están estaba estar ha he has han había hay tiene
        tengo tienes tienen y e o u pero si no en a con sin por para sobre entre desde hasta hacia como también más
        llama llamas llaman llamo""",
    "pt": """
        o a os as um uma uns umas de do da dos das no na nos nas em ao à aos às pelo pela por para com sem sobre entre
        desde até eu tu ele ela você nós eles elas vocês me te se lhe lhes meu minha meus minhas teu tua teus tuas seu
        sua seus suas nosso nossa nossos nossas dele dela quem que quê qual quais onde aonde quando como porque porquê
        quanto quanta quantos quantas este esta esse essa isso isto é és sou são somos era eram foi foram ser está
        estou estão estava estar tem tenho têm tinha há e ou mas não também mais chama chamo chamam""",
    "it": """
        il lo la i gli le l un uno una di d del dello della dei degli delle a al allo alla ai agli alle da dal dalla
        dai in nel nello nella nei nelle su sul sulla con per tra fra senza io tu lui lei noi voi loro mi ti si ci vi
        ne me te mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre chi che cosa cos quale
        quali qual dove dov quando come com perché quanto quanta quanti quante questo questa quello quella è sono sei
        siamo era erano essere sta stato ho hai ha abbiamo hanno aveva c e o ma se non anche più chiama chiamano
        chiamo""",
    "nl": """
        de het een ik jij je u hij zij ze wij we jullie hem haar hen hun ons mij me mijn m'n jouw uw zijn onze zich wie
        wat waar waarom wanneer hoe welke welk waarheen waarmee hoeveel dit dat deze die er is ben bent was waren heeft
        heb hebt hebben had hadden wordt worden werd kan kunnen moet zal in op aan van voor met bij naar uit over onder
        tussen tot om te door zonder en of maar niet ook nog als heet heten""",
    "pl": """
        ja ty on ona ono my wy oni one mnie mi mną ciebie ci jego go jemu mu jej ją nas nam ich im się mój moja moje
        mojej mojego mojemu moim moją moich moi twój twoja twoje nasz nasza nasze naszej kto kogo komu kim co czego
        czemu czym gdzie dokąd skąd kiedy dlaczego jak jaki jaka jakie jaką jakiego który która które której ile czyj
        czyja czyje czy ten ta to te tego tej jest są jestem jesteś był była było byli być ma mam masz mają i a oraz
        lub albo ale że w we z ze na do od dla przez przy po pod nad o u bez za nie też nazywa imię""",
    "tr": """
        ben sen o biz siz onlar bana beni bende benim sana seni senin onu ona onun bizim bize sizin onların kim kimin
        kime kimi kimle kimdir ne neyi neye nedir nerede nerde nereye nereden neresi nerededir neden niçin niye nasıl
        hangi hangisi kaç mı mi mu mü mıdır midir bu şu ve veya ile için gibi kadar da de ki ama bir var yok değil
        en""",
    "id": """
        saya aku kamu anda dia ia kami kita mereka apa apakah siapa siapakah mana di dimana ke kemana dari kapan
        mengapa kenapa bagaimana berapa yang ini itu adalah ialah dan atau tetapi dengan untuk pada dalam oleh akan
        sudah telah tidak bukan juga nya namanya bernama""",
    "vi": """
        tôi tao tớ mình bạn nó họ chúng ta hắn ai gì đâu nào sao bao nhiêu mấy khi nào thế tại vì là của ở tại trong
        trên dưới với cho từ đến và hoặc hay có không được bị đã đang sẽ những các này đó kia thì mà rằng cũng tên""",
}
_CYRILLIC = {
    "ru": """
        я ты он она оно мы вы они меня мне мной тебя тебе его ему него ней её нее ей нас нам вас вам их им мой моя моё
        мое мои моего моей моему моим моих мою твой твоя твоё твои наш наша наше наши нашей нашего свой своя свою своей
        кто кого кому кем что чего чему чем где куда откуда когда почему зачем как какой какая какое какие какую какого
        каком какой чей чья чьё чьи сколько который которая ли это этот эта эти тот та быть был была было были есть
        будет в во на с со к ко у о об от до из за по под над при для без и а но или не ни же бы зовут звали
        называется""",
    "uk": """
        я ти він вона воно ми ви вони мене мені мною тебе тобі його йому неї її їй нас нам вас вам їх їм мій моя моє
        мої мого моєї моєму моїм моїй мою твій твоя твоє наш наша наше наші нашої свій своя хто кого кому ким що чого
        чому чим де куди звідки коли навіщо як який яка яке які яку якого якому якій чий чия чиє скільки котрий чи це
        цей ця ці той бути був була було були є буде в у на з із зі до від по під над при для без за про о об і й та а
        але або не ні же зветься звати звуть називається""",
}
_ARABIC = {
    "ar": """
        أنا انا أنت انت هو هي نحن هم هن أنتم من ما ماذا لماذا متى أين اين كيف كم هل أي أية اي لمن بماذا مما أ هذا هذه
        ذلك تلك الذي التي الذين كان كانت كنت يكون تكون ليس ليست قد لقد في على إلى الى عن مع عند عندي لدي لدى لي له لها
        لنا لك به بها فيه فيها منه منها عنه عليه إليه و أو او ثم أن ان إن لا لم لن يدعى تدعى يسمى تسمى""",
    "fa": """
        من تو او ما شما آنها آن‌ها ایشان وی خود که کی کیست چه چی چیست کجا کجاست چرا چگونه چطور چند کدام آیا این آن است
        هست هستم هستند بود بودند باشد شد شده می نمی ام ات اش مان تان شان ها های ای را در به از با بر برای تا و یا هم
        نیست کسی چقدر دارد دارم دارند""",
}
_HEBREW = {
    "he": """
        אני אתה את הוא היא אנחנו אתם הם הן אותי אותו אותה לי לך לו לה לנו לכם להם שלי שלך שלו שלה שלנו שלכם שלהם של מי
        למי ממי מה במה למה מהו מהי מיהו מיהי איפה היכן מתי מדוע איך כיצד כמה איזה איזו אילו לאן מאין מאיפה האם זה זו
        זאת אלה היה הייתה היו יש אין על אל עם אצל מן בין אבל או גם כי לא אם כש קוראים נקרא נקראת""",
}
_DEVANAGARI = {
    "hi": """
        मैं मुझे मुझ मेरा मेरी मेरे मैंने हम हमें हमारा हमारी हमारे तू तुम तुम्हें तुम्हारा तुम्हारी आप आपको आपका आपकी आपके वह वो वे
        यह ये उस उसे उसका उसकी उसके उसने उन उनका उनकी उनके इस इसे इसका इसकी इसके अपना अपनी अपने कौन कौनसा कौनसी क्या कहाँ कहां
        किधर कब क्यों कैसे कैसा कैसी कितना कितने कितनी किस किसे किसका किसकी किसके किसने किसको जो है हैं हूँ हूं हो था थी थे होगा
        होता होती रहा रही रहे गया गई गए का के की को में से पर ने तक लिए साथ और या लेकिन भी ही तो नहीं न सा सी""",
}
_GREEK = {
    "el": """
        ο η το οι τα του της των τον την τους τις στο στη στην στον στα στους στις ένα ένας μια μία εγώ εσύ αυτός αυτή
        αυτό εμείς εσείς μου σου μας σας με σε τι ποιος ποια ποιο ποιον ποιοι ποιες ποιου πού που πότε γιατί πώς πως
        πόσο πόση πόσα πόσοι πόσες είναι είμαι είσαι είμαστε ήταν ήμουν έχω έχει έχεις έχουν από για ως προς και κι ή
        αλλά να θα δεν μην λένε λέγεται""",
}

LATIN = "latin"
_SCRIPTS = {
    LATIN: _LATIN,
    "cyrillic": _CYRILLIC,
    "arabic": _ARABIC,
    "hebrew": _HEBREW,
    "devanagari": _DEVANAGARI,
    "greek": _GREEK,
}

_CONTENT_IN_ENGLISH = """
    die war hat den man van dove come son pour bin fur fort las plus fait dit dat ten pod pan dan ham mit lei lui dos
    con per sin mine mien hen hun pas par des sur sous ton tot top ore male sole mane sera ben sen haben kim var via
    tu ma mi il ai us est era ni hem toe wet ad as ha mes men sang sein ses sale an al tao ta te
"""
CONTENT_IN_ENGLISH = frozenset(_CONTENT_IN_ENGLISH.split())
"""Function words of other languages that are English words, names or abbreviations too."""


def folded(word: str) -> str:
    """Return a word in the one spelling that the lists have: composed, without case; accents stay."""
    return unicodedata.normalize("NFKC", word).casefold().replace("i\u0307", "i")


def _listed(language: str, text: str) -> frozenset[str]:
    words = {folded(word) for word in text.split()}
    # Many type without accents. Vietnamese does not bear it: của is of, cua a crab.
    return frozenset(words if language == "vi" else words | {word.translate(FOLD) for word in words})


FUNCTION_WORDS: Mapping[str, Mapping[str, frozenset[str]]] = {
    script: {language: _listed(language, text) for language, text in languages.items()}
    for script, languages in _SCRIPTS.items()
}
"""For each script its languages (ISO 639-1), and the function words of each, as `folded` spells them."""
