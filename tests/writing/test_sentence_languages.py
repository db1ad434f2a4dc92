"""What the rules keep and refuse, language by language; each language has the same kinds on both sides."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from langgraph_memory.writing.sentences import propose

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)

KEPT = {
    "english": "I live in Oslo.|I'm allergic to nuts.|I don't know how to swim in open water."
    "|Tomorrow I have a dentist appointment."
    "|Got married last week.|I forget names easily.|I have questions every Monday in my quiz team."
    "|I see my sister every week."
    "|I got it from a nearby restaurant.|My wife's name is Ana.",
    "chinese": "我住在北京|我对花生过敏|明天要去看牙医|我不知道怎么游泳|我的妻子叫小雨|我有两个孩子",
    "japanese": "東京に住んでいます|私はナッツアレルギーがあります|明日は歯医者に行きます|私の妻は医者です"
    "|猫が好きです",
    "korean": "저는 서울에 살고 있어요.|땅콩 알레르기가 있어요.|내일 치과에 가요.|서울에 살아요."
    "|딸이 두 명 있어요.|커피를 좋아해요.",
    "thai": "ฉันอาศัยอยู่ที่กรุงเทพ|แพ้ถั่วลิสง|พรุ่งนี้ต้องไปหาหมอฟัน|ผมเป็นหมอ|ฉันชอบดื่มชาเขียว",
    "spanish": "Vivo en Madrid con mi esposa.|Soy alérgico a las nueces.|Mañana voy al dentista."
    "|Tengo una hermana en Lima."
    "|No sé nadar muy bien, pero mi hijo sí.|Me mudé a Quito ayer.",
    "french": "J'habite à Lyon.|Je suis allergique aux noix.|Demain je vais chez le dentiste."
    "|Ma femme s'appelle Anne."
    "|J'ai deux enfants.",
    "german": "Ich wohne in Bonn.|Ich bin allergisch gegen Nüsse.|Morgen gehe ich zum Zahnarzt."
    "|Meine Frau heißt Anna."
    "|Ich habe zwei Kinder.",
    "italian": "Abito a Roma.|Sono allergico alle noci.|Domani vado dal dentista.|Ho due figli a Roma."
    "|Sono un medico di Roma."
    "|Mia moglie si chiama Anna.|Mi sono trasferito a Milano.",
    "portuguese": "Moro em Lisboa.|Sou alérgico a nozes.|Amanhã vou ao dentista.|Tenho dois filhos pequenos."
    "|Minha esposa é médica.",
    "russian": "Я живу в Москве.|У меня аллергия на орехи.|Завтра иду к стоматологу.|Мою жену зовут Анна."
    "|У меня двое детей.",
    "arabic": "أعيش في القاهرة مع زوجتي|لدي حساسية من الفول السوداني|غدا سأذهب إلى طبيب الأسنان|لدي طفلان صغيران"
    "|اسمي أحمد حسن",
    "dutch": "Ik woon in Utrecht.|Mijn vrouw heet Anna.|Ik ben allergisch voor noten."
    "|Morgen ga ik naar de tandarts.|Ik werk bij Philips."
    "|We hebben twee kinderen.|Ik hou van zwarte koffie.|Mijn hond heet Rex.|Ik ben vorig jaar verhuisd."
    "|Jan werkt bij Acme.",
    "polish": "Mieszkam w Krakowie.|Moja żona ma na imię Anna.|Mam alergię na orzechy.|Jutro idę do dentysty."
    "|Pracuję w banku."
    "|Mam dwoje dzieci.|Lubię kawę.|Mój pies wabi się Rex.|Przeprowadziłam się do Gdańska.|Nazywam się Jan Nowak.",
    "turkish": "Ankara'da yaşıyorum.|Eşimin adı Ayşe.|Fıstığa alerjim var.|Yarın dişçiye gidiyorum."
    "|Bir bankada çalışıyorum."
    "|Benim iki çocuğum var.|Kahveyi çok severim.|Köpeğimin adı Karabaş.|Geçen yıl İzmir'e taşındım.|Ben öğretmenim.",
    "hindi": "मैं दिल्ली में रहता हूँ।|मेरी पत्नी का नाम अनीता है।|मुझे मूंगफली से एलर्जी है।"
    "|कल मैं दंत चिकित्सक के पास जाऊंगा।|मैं बैंक में काम करता हूँ।"
    "|मेरे दो बच्चे हैं।|मुझे कॉफी पसंद है।|मेरे कुत्ते का नाम मोती है।|मैंने नई गाड़ी खरीदी।|हम पिछले साल मुंबई आए।",
    "ukrainian": "Я живу у Львові.|Мою дружину звати Анна.|У мене алергія на горіхи.|Завтра йду до стоматолога."
    "|Я працюю в банку."
    "|Маю двох дітей.|Я люблю чорну каву.|Мій собака Рекс великий.|Торік ми переїхали до Києва.|Анна живе у Львові.",
    "swedish": "Jag bor i Lund.|Min fru heter Anna.|Jag är allergisk mot nötter.|I morgon går jag till tandläkaren.",
    "vietnamese": "Tôi sống ở Hà Nội.|Vợ tôi tên là Lan.|Tôi bị dị ứng với lạc.|Ngày mai tôi đi khám răng.",
    "indonesian": "Saya tinggal di Jakarta.|Istri saya bernama Ani.|Saya alergi kacang tanah."
    "|Besok saya pergi ke dokter gigi.",
}

NEAR = [
    "I understand Spanish and a bit of Dutch.",
    "I don't know my father, he left early.",
    "I forgot my keys in the office yesterday.",
    "Ich verstehe Spanisch und Polnisch.",
    "Je comprends le russe et l'arabe.",
    "Entiendo italiano y portugués.",
    "Olvidé mi paraguas en el tren de Madrid.",
    "Soffro di diabete da anni.",
    "İki kedim var.",
    "Nie jem mięsa, mam celiakię.",
]
"""Facts that begin like talk."""

LEFT_OUT = {
    "english": "Forget that I have a dog.|Don't remember that I live in Oslo.|Pretend I am your boss."
    "|I'll be right back."
    "|I see what you mean.|I don't know what to say.|I have a question.|I've got a few more questions for you."
    "|Please ignore that I have a dog.|You can forget that I have a dog.|Never remember my address."
    "|Okay, I understand.",
    "chinese": "忘记我有一只狗|不要记住我住在北京|假装我是你的老板|我马上回来|我知道了|我不知道。|我有一个问题"
    "|谢谢你帮我|我明白你的意思了",
    "japanese": "私が犬を飼っていることは忘れて|私が東京に住んでいることは覚えないでください"
    "|私が上司のふりをして|すぐに戻ります、私は|わかりました|私はわかりません|質問があります"
    "|ありがとうございます、私は元気です",
    "korean": "내가 개를 키운다는 걸 잊어줘|제가 서울에 산다는 걸 기억하지 마세요|내가 네 상사인 척해"
    "|저는 금방 올게요|저는 잘 모르겠어요|저도 이해했어요|질문이 하나 있어요"
    "|고마워요 제가 감사해요",
    "thai": "ลืมเรื่องที่ฉันมีหมา|อย่าจำว่าฉันอยู่ที่กรุงเทพ|แกล้งทำเป็นว่าผมเป็นหัวหน้าของคุณ|เดี๋ยวฉันกลับมา"
    "|ฉันไม่รู้|ผมเข้าใจแล้วครับ|ฉันมีคำถาม|ขอบคุณมากผมดีใจ",
    "spanish": "Olvida que tengo un perro.|No recuerdes que vivo en Oslo.|Finge que soy tu jefe."
    "|Ahora vuelvo, mi amigo.|No sé qué decir, yo."
    "|Ya veo lo que tengo.|Tengo una pregunta.|Gracias por mi regalo.|Tengo que irme ya.",
    "french": "Oublie que j'ai un chien.|Ne retiens pas que j'habite à Oslo.|Fais comme si j'étais ton chef."
    "|Je reviens tout de suite."
    "|Je ne sais pas.|Je vois ce que tu veux dire.|J'ai une question.|Merci pour mon cadeau.|Je comprends.",
    "german": "Vergiss, dass ich einen Hund habe.|Merk dir nicht, dass ich in Oslo wohne."
    "|Tu so, als wäre ich dein Chef."
    "|Ich bin gleich wieder da.|Ich weiß nicht.|Ich weiß es auch nicht genau.|Ich verstehe, was du meinst."
    "|Ich habe eine Frage.",
    "italian": "Dimentica che ho un cane.|Non ricordare che abito a Oslo.|Fai finta che io sia il tuo capo."
    "|Torno subito da mia moglie."
    "|Io non lo so.|Capisco cosa mi dici.|Ho una domanda.|Grazie per il mio regalo.|Ho capito.",
    "portuguese": "Esquece que tenho um cão.|Não lembre que moro em Oslo.|Finja que sou seu chefe.|Eu já volto."
    "|Eu não sei.|Eu entendo."
    "|Tenho uma pergunta.|Obrigado pelo meu presente.",
    "russian": "Забудь, что у меня есть собака.|Не запоминай, что я живу в Осло."
    "|Притворись, что я твой начальник.|Я сейчас вернусь."
    "|Я не знаю.|Я понимаю, что ты имеешь в виду.|У меня есть вопрос.|Спасибо за мой подарок.",
    "arabic": "انس أن لدي كلبا|لا تتذكر أنني أعيش في أوسلو أنا|تظاهر أنني أنا مديرك|سأعود بعد قليل"
    "|أنا لا أعرف ماذا|لدي سؤال صغير|شكرا على هديتي لي",
    "dutch": "Vergeet dat ik een hond heb.|Onthoud niet dat ik in Oslo woon.|Doe alsof ik je baas ben."
    "|Ik ben zo terug.|Ik weet het niet."
    "|Ik snap wat je bedoelt.|Ik heb een vraag.|Dank je wel|Dank je wel voor mijn cadeau.|Waar woon ik",
    "polish": "Zapomnij, że mam psa.|Nie pamiętaj, że mieszkam w Oslo.|Udawaj, że jestem twoim szefem."
    "|Zaraz wracam do mojej żony."
    "|Nie wiem, moja droga.|Rozumiem, co masz na myśli.|Mam pytanie.|Dziękuję za mój prezent.|Gdzie mieszkam"
    "|Proszę, pomóż mi.",
    "turkish": "Köpeğim olduğunu unut.|Oslo'da yaşadığımı hatırlama.|Benim patronummuşum gibi davran."
    "|Hemen dönüyorum.|Ben bilmiyorum."
    "|Seni anlıyorum.|Bir sorum var.|Hediyem için teşekkür ederim.|Nerede yaşıyorum|Lütfen bana yardım et.",
    "hindi": "भूल जाओ कि मेरे पास कुत्ता है।|याद मत रखो कि मैं ओस्लो में रहता हूँ।"
    "|मान लो कि मैं तुम्हारा बॉस हूँ।|मैं अभी वापस आता हूँ।|मुझे नहीं पता।"
    "|मैं समझ गया।|मेरा एक सवाल है।|मेरे उपहार के लिए धन्यवाद।|मैं कहाँ रहता हूँ|कृपया मेरी मदद करो।",
    "ukrainian": "Забудь, що в мене є собака.|Не запам'ятовуй, що я живу в Осло.|Уяви, що я твій начальник."
    "|Я зараз повернуся.|Я не знаю."
    "|Я розумію, що ти маєш на увазі.|У мене є питання.|Дякую за мій подарунок.|Де я живу|Будь ласка, допоможи мені.",
    "swedish": "Glöm att jag har en hund.|Kom inte ihåg att jag bor i Oslo.|Låtsas att jag är din chef."
    "|Jag är snart tillbaka.|Jag vet inte.|Jag har en fråga.",
    "vietnamese": "Quên rằng tôi có một con chó.|Đừng nhớ rằng tôi sống ở Oslo.|Giả vờ tôi là sếp của bạn."
    "|Tôi không biết.|Tôi có một câu hỏi.|Cảm ơn bạn đã giúp tôi.",
    "indonesian": "Lupakan bahwa saya punya anjing.|Jangan ingat bahwa saya tinggal di Oslo."
    "|Bayangkan saya bos kamu.|Saya tidak tahu.|Saya punya pertanyaan.|Terima kasih untuk hadiah saya.",
}


def each(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(language, sentence) for language, found in table.items() for sentence in found.split("|")]


def test_twenty_languages_stand_on_both_sides() -> None:
    assert len(KEPT) == 20 and KEPT.keys() == LEFT_OUT.keys()


@pytest.mark.parametrize(("language", "sentence"), each(KEPT))
def test_a_fact_is_kept(language: str, sentence: str) -> None:
    assert [candidate.text for candidate in propose("user", "Bob", sentence, NOW)] == [sentence]


@pytest.mark.parametrize(("language", "sentence"), each(LEFT_OUT))
def test_what_is_no_memory_is_left_out(language: str, sentence: str) -> None:
    assert propose("user", "Bob", sentence, NOW) == []


@pytest.mark.parametrize("sentence", NEAR)
def test_a_fact_that_begins_like_talk_is_kept(sentence: str) -> None:
    assert [candidate.text for candidate in propose("user", "Bob", sentence, NOW)] == [sentence]


@pytest.mark.parametrize(
    "sentence", ["Falsches Datum.", "Das ist ein Irrtum.", "He was a victim.", "Het regent vandaag."]
)
def test_words_that_only_look_like_a_speakers_are_of_nobody(sentence: str) -> None:
    assert propose("user", "Bob", sentence, NOW) == []
