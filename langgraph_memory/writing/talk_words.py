"""Sentences that are about the talk itself: orders about memory, and states that are over with the next line.

"Forget that I have a dog" must not make a memory of a dog, and "I don't know" is true of this moment only. One line a
language. Everything meets normalised text without case and accents.
"""

from __future__ import annotations

import re
import unicodedata


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(unicodedata.normalize("NFKC", text))


_LEAD = (
    r"^(?:please|pls|now|ok(?:ay)?|so|and|no|well|actually|just|hey|bitte|jetzt|por favor|s'il te plait"
    r"|per favore|ti prego"
    r"|alsjeblieft|prosze|lutfen|tolong|hay|vui long|snalla|пожалуйста|будь ласка|من فضلك|you can|you may"
    r"|you must|you should"
    r"|you have to|you need to|you could)?[,!]? ?"
)
_ORDER = _pattern(
    _LEAD
    + r"(?:"
    + r"|".join(
        (
            r"(?:let's |can you )?(?:forget|disregard|ignore|pretend|erase|delete|never ?mind|role-?play"
            r"|act (?:as|like)"
            r"|imagine|assume)|(?:do not|don't|dont|never|stop|not|no need to|you don't (?:have|need) to) ?(?:remember"
            r"|remembering|memori[sz]e|sav(?:e|ing)|stor(?:e|ing)|record|note|keep)|shouldn't remember"
            r"|remove (?:it|this|that|my|the|everything) .*memor(?:y|ies)",
            r"vergiss|vergesst|vergessen sie|ignorier\w*|tu(?:e|n sie)? (?:so|mal so),? als|stell dir vor|nimm an"
            r"|losch\w*"
            r"|(?:merk\w*|erinner\w*|speicher\w*|notier\w*|behalt\w*) .*\bnicht\b",
            r"oublie[zs]?|ignore[zr]?|fai(?:s|tes|sons) (?:semblant|comme si)|imagine[zs]?|supprime[zr]?|efface[zr]?"
            r"|(?:ne |n')(?:retiens|retenez|memorise|enregistre|note|garde|te souviens|vous souvenez"
            r"|te rappelle)\w* pas",
            r"olvid(?:a|ate|alo|ese|en|e (?:que|lo|todo|eso|esto))|ignor[ae]|fing[ei]d?|finja"
            r"|haz (?:como si|de cuenta)|hagamos"
            r"|imagina(?:te)?|borr[ae]"
            r"|elimin[ae]|supon\w*|no (?:te )?(?:lo )?(?:recuerd|guard|memoric|acuerd|anot|registr)\w+",
            r"esquec[ea]\w*|finj[ae]|finge|fa[cz]\w* de conta|imagin[ae]|apag(?:a|ue)"
            r"|nao (?:te |se )?(?:lembr|guard|memoriz|grav|anot|record)\w+",
            r"dimentica\w*|dimentichi|scorda\w*|fingi|fa(?:i|cciamo)? finta|immagina|cancella|elimina"
            r"|non (?:ti )?(?:ricordar|memorizzar|salvar|registrar|annotar|tener)\w*",
            r"vergeet|negeer|doe alsof|stel je voor|verwijder|wis (?:dat|dit|alles)|(?:onthoud?|bewaar|noteer) .*niet",
            r"забудь\w*|игнорируй\w*|притворись\w*|представь\w*|сделай вид|удали\w*|сотри|допустим|предположим"
            r"|не (?:запоминай|помни|сохраняй|записывай)\w*",
            r"ігноруй\w*|удай\w*|вдай\w*|уяви\w*|видали\w*|припустімо|не (?:запам'?ятовуй|зберігай|записуй)\w*",
            r"zapomnij\w*|ignoruj\w*|zignoruj\w*|udawaj\w*|wyobraz sobie|usun|zalozmy"
            r"|nie (?:pamietaj|zapamietuj|zapisuj|zachowuj)\w*",
            r"glom|ignorera|latsas|lat oss latsas|forestall dig|radera|kom inte ihag|spara inte|minns inte",
            r"lupakan|abaikan|berpura-pura|pura-pura|bayangkan|hapus|jangan (?:ingat|simpan|catat)",
            r"quen|dung (?:nho|luu|ghi)|bo qua|gia vo|tuong tuong|xoa",
            r"انس|انسى|تجاهل|تظاهر|تخيل|احذف|امسح|لا (?:تتذكر|تحفظ|تسجل)",
        )
    )
    + r")(?![^\W_])"
    r"|^(?:(?:请|請|你|把)?(?:忘记|忘記|忘掉|忘了(?:我|这|這|刚)|别记|別記|不要记|不要記|不用记|无视|無視|忽略|假装|假裝|假设|想象|删除|刪除|删掉|扮演)"
    r"|(?:ช่วย|โปรด|กรุณา|จง)?ลืม(?:เรื่อง|ไป|ว่า)|อย่า(?:จำ|บันทึก)|ไม่ต้องจำ|แกล้ง|สมมติ|จินตนาการ|ลบ|भूल जा"
    r"|याद मत|मान लो|मिटा)"
    r"|(?:忘れて(?:ください|くれ|ね)?|覚え(?:てお)?かないで(?:ください)?|覚えないで(?:ください)?|(?:記憶|保存|記録)しないで(?:ください)?"
    r"|無視して(?:ください)?|削除して(?:ください)?|消して(?:ください)?|[ふフ振]りをして(?:ください)?|想像して(?:ください)?)\W*$"
    r"|(?:잊어(?:줘|버려|라|요)?|(?:기억|저장|기록)하지 ?(?:마|말)\S*|무시해\S*"
    r"|척 ?해\S*|상상해\S*|가정해\S*|삭제해\S*|지워\S*)"
    r"(?: 주세요)?\W*$"
    r"|(?<![^\W_])(?:unut(?:un|ur musun)?|hatirlama(?:yin)?|kaydetme(?:yin)?|yok say(?:in)?|gormezden gel(?:in)?"
    r"|gibi (?:davran|yap)(?:in)?|farz et|hayal et|sil(?:in)?)\W*$"
    r"|(?:भूल जाओ|भूल जाइए|भूल जाना|याद मत \S+|मत याद \S+|याद न \S+|नाटक करो|अनदेखा करो|मान लो)\W*$"
)
_SOMEHOW = r"(?:(?: |,).{0,60})?"
_WHAT = (
    r"(?: (?:yet|either|really|honestly|exactly|anymore|man|what|why|if|whether|that|about (?:that|it)|where|when|who"
    r"|how (?:to (?:say|put|explain)|it|that|you))\b.{0,60})?"
)
_STATE = _pattern(
    r"^(?:(?:oh|ok(?:ay)?|well|hm+|ah|yes|yeah|no|sorry|and|but|so|ja|nein|oui|non|si|sim|да|так|нет|ні|tak|nie"
    r"|da)[,.!]* )?(?:"
    + r"|".join(
        (
            r"i (?:really |honestly |still |just )?(?:do not|don't|dont) know" + _WHAT,
            r"i have no (?:idea|clue)" + _WHAT,
            r"i (?:can )?see(?: (?:now|it|that|what you (?:mean|did)|your point|how|why)\b.{0,40})?|i (?:totally "
            r"|completely |do "
            r"|fully )?(?:understand(?! \w+(?:ish|ese|an|ch)\b)|agree|get (?:it|that|you))(?: .{0,30})?"
            r"|i (?:hear|got) you|i got it",
            r"(?:i'll|i will|i'm going to) (?:be (?:right )?back|brb|let you know|think about (?:it|that)"
            r"|keep (?:that|it|this) in mind|get back to you|try (?:that|it|this)|check (?:it|that|this) out"
            r"|talk to you (?:later|soon)|see you)" + _SOMEHOW,
            r"(?:i have|i've got|i got|i've|i do have) (?:a|an|one|another|one more|a few|some|two|a couple(?: of)?)"
            r"(?: quick| small| other| more| last| different)* questions?" + _SOMEHOW,
            r"i (?:have to|gotta|got to|must|need to|should|'ve got to) (?:go|run|leave|head out)(?: now| soon)?"
            r"|i've (?:got to|gotta) (?:go|run)(?: now)?|i need (?:some |your |a bit of )?(?:help|a (?:moment"
            r"|minute|second))"
            r"|i'm (?:back|listening|here|just (?:kidding|joking)|joking|not sure)" + _SOMEHOW,
            r"ich (?:weiss|wusste) (?:es |das |auch |noch |leider |gar |nicht )*nicht" + _SOMEHOW,
            r"ich (?:verstehe|kapier\w*|begreife)(?:,? (?:dich|das|es|sie|nicht|was|wie|warum|schon|gut)\b.{0,60})?"
            + r"|ich (?:bin|komme) (?:gleich|sofort|bald) (?:wieder|zuruck|da)\b.*",
            r"(?:ich )?hab(?:e)? (?:noch |da |auch |mal |jetzt )*(?:eine|ne|'ne|noch eine|ein paar|zwei"
            r"|einige) (?:\w+ )?fragen?" + _SOMEHOW,
            r"ich (?:muss|sollte) (?:jetzt |dann )?(?:los|weg|gehen)|ich brauche (?:deine |kurz |etwas )?hilfe"
            r"|ich melde mich.*",
            r"(?:je |j')(?:ne |n'en )?sais (?:pas|rien)" + _SOMEHOW + r"|je n'en sais rien|je vois(?: ce que .*)?"
            r"|je (?:ne )?comprends(?:,? (?:pas|ce|que|pourquoi|tres bien|bien|mieux|ton|votre)\b.{0,40})?"
            r"|j'ai compris.*",
            r"j'ai (?:encore |juste )?(?:une|des|deux|quelques|une autre) (?:petites? )?questions?" + _SOMEHOW,
            r"je reviens.*|je dois (?:y aller|partir)|j'ai besoin d(?:'aide|e ton aide).*",
            r"(?:yo )?no (?:lo )?se(?: (?:que|si|por que|cuando|donde|todavia|muy bien)\b.*)?|ya (?:veo|entiendo"
            r"|entendi|lo se).*"
            r"|(?:no )?(?:lo |te )?(?:entiendo|comprendo)"
            r"(?:,? (?:que|lo|por que|tu|bien|como|perfectamente)\b.{0,40})?",
            r"(?:yo )?tengo (?:una|otra|unas|dos|algunas|muchas) (?:pequena )?(?:preguntas?|dudas?)" + _SOMEHOW,
            r"(?:ahora|enseguida|ya) (?:vuelvo|regreso).*|(?:vuelvo|regreso) (?:enseguida|en un|pronto).*"
            r"|(?:me )?(?:tengo|debo) que ir(?:me)?.*|tengo que irme.*|debo irme.*",
            r"(?:eu )?nao sei(?: (?:o que|se|por que|quando|onde|ainda|bem)\b.*)?|(?:eu )?(?:nao )?(?:entendo"
            r"|entendi|percebo|percebi)"
            r"(?: .{0,40})?|(?:eu )?tenho (?:uma|umas|duas|outra|algumas) (?:perguntas?|duvidas?)" + _SOMEHOW,
            r"(?:eu )?(?:ja )?volto (?:ja|logo|em).*|(?:eu )?ja volto.*|(?:eu )?(?:tenho que|preciso) ir(?: embora)?.*",
            r"(?:io )?non (?:lo )?so(?: (?:che|se|perche|quando|dove|ancora|bene|cosa)\b.*)?"
            r"|(?:io )?(?:non )?(?:capisco|ho capito)"
            r"(?: .{0,40})?|(?:io )?ho (?:una|un'altra|delle|altre|alcune|due|un) (?:domand[ae]|dubbi[o]?)" + _SOMEHOW,
            r"torno (?:subito|presto|tra).*|(?:ora |adesso )?devo andare(?: via)?(?: ora| adesso)?|lo so(?: .{0,20})?",
            r"ik weet (?:het |dat )?(?:ook |nog )?niet"
            + _SOMEHOW
            + r"|ik (?:snap|begrijp|zie)(?: (?:het|dat|je|wat)\b.*)?",
            r"ik heb (?:nog |ook )?(?:een|wat|twee|een paar) (?:vraag|vraagje|vragen).*|ik (?:ben|kom) (?:zo"
            r"|straks) terug.*"
            r"|ik moet (?:nu )?(?:gaan|weg)|ik heb (?:je )?hulp nodig.*",
            r"(?:я )?(?:не )?(?:знаю|понимаю|поняла?|вижу|помню)(?:,? (?:что|почему|как|где|когда|пока|точно|тебя"
            r"|вас)\b.*)?",
            r"у меня (?:есть |ещё |еще |к тебе |к вам )*(?:один |пара )?вопрос\w*.*|(?:я )?(?:сейчас|скоро"
            r"|сеичас) вернусь.*"
            r"|мне (?:пора|надо идти|нужна (?:твоя )?помощь).*",
            r"(?:я )?(?:не )?(?:знаю|розумію|зрозумі\w+|бачу)(?:,? (?:що|чому|як|де|коли|поки|тебе|вас)\b.*)?",
            r"(?:у мене|маю) (?:є |ще |до тебе )*(?:одне )?(?:за)?питання.*|(?:я )?(?:зараз|скоро) повернуся?.*"
            r"|мені (?:пора|час іти).*",
            r"(?:ja )?(?:tego )?nie wiem(?:,? .{0,20})?|(?:nie )?rozumiem(?: .{0,40})?|mam (?:jedno |jeszcze "
            r"|kilka |do ciebie )*pytani[ae].*",
            r"(?:zaraz|niedlugo) wracam.*|musze (?:juz )?(?:isc|leciec|konczyc).*|potrzebuje (?:twojej )?pomocy.*",
            r"(?:ben )?(?:\w+ )?bilmiyorum(?: .*)?|(?:seni )?(?:anliyorum|anladim|anlamadim|anlamiyorum)",
            r"(?:benim )?(?:sana )?(?:bir|birkac) sor(?:um|um daha) var.*|sor(?:um|ularim) var.*"
            r"|(?:hemen|birazdan|simdi) (?:donerim|donuyorum|donecegim|geliyorum|gelirim).*|gitmem (?:lazim"
            r"|gerek).*|biliyorum",
            r"jag vet inte"
            + _SOMEHOW
            + r"|jag (?:forstar|fattar|ser)(?: .{0,30})?|jag har en fraga.*|jag ar (?:snart|strax) tillbaka.*",
            r"(?:saya|aku) (?:tidak|nggak|gak) tahu.*|(?:saya|aku) (?:mengerti|paham).*"
            r"|(?:saya|aku) (?:punya|ada) (?:satu )?pertanyaan.*|(?:saya|aku) (?:akan )?segera kembali.*",
            r"(?:toi|minh) (?:khong|cung khong) biet.*|(?:toi|minh) (?:hieu|da hieu).*|(?:toi"
            r"|minh) co (?:mot )?cau hoi.*"
            r"|(?:toi|minh) (?:se )?quay lai (?:ngay)?.*",
            r"(?:[اأ]نا )?لا [اأ](?:عرف|علم|دري)(?: .*)?|(?:[اأ]نا )?(?:[اأ]فهم|فهمت|[اأ]رى)(?: .*)?|(?:لدي"
            r"|عندي) (?:سؤال|[اأ]سئلة).*"
            r"|س[اأ]عود (?:حالا|قريبا|بعد).*",
            r"我(?:也|还|還|真的?)?(?:不知道|不清楚|不懂|不明白|知道|明白|懂|了解|看到|理解)[了啦啊呢的]*(?:你的?意思)?了?"
            r"|我(?:还|還)?(?:有|想问)(?:一|几|幾)?(?:个|個)?(?:小)?(?:问题|問題|疑问).*|我(?:先|得|要)走[了啦]*|我在(?:的|呢|这里|听)?"
            r"|我(?:马上|馬上|一会儿?|等会儿?|待会儿?|很快)(?:就)?(?:回来|回來|回).*|我(?:需要|要)(?:你的?)?(?:帮助|幫助|帮忙)",
            r"(?:私|僕|俺)?[はも]?(?:ちょっと|よく|まだ)?(?:わか|分か|解)(?:りません|らない|りました|った|ります|る)(?:です|よ|ね)*"
            r"|(?:私|僕|俺)?[はも]?(?:それは)?知(?:りません|らない)(?:です|よ|ね)*|(?:私|僕)?[はに]?(?:一つ)?(?:質問|聞きたいこと)が(?:あり|ある).*"
            r"|(?:私は)?すぐに?(?:戻|もど)(?:り|る).*|なるほど.*",
            r"(?:저는|나는|전|난|저도|나도|제가|내가)? ?(?:잘 )?(?:모르겠|몰라|모릅니|알겠|알았|이해(?:했|해|합))\S*"
            r"|(?:저는|나는|저도|제가)? ?(?:질문|궁금한 ?게)(?:이|은|도)? ?(?:하나|좀)? ?(?:더 )?있\S*"
            r"|(?:저는|나는|제가|내가)? ?(?:금방|곧) ?(?:올게|돌아올|다녀올|갈게)\S*",
            r"(?:ฉัน|ผม|ดิฉัน|หนู|เรา)?(?:ก็)?(?:ไม่(?:รู้|ทราบ|แน่ใจ|เข้าใจ)|เข้าใจ)(?:แล้ว|ครับ|ค่ะ|เหมือนกัน"
            r"|เลย|นะ|จริงๆ)*"
            r"|(?:ฉัน|ผม|ดิฉัน|หนู)?มีคำถาม.*|เดี๋ยว(?:ฉัน|ผม)?(?:กลับ|มา).*|(?:ฉัน|ผม)เดี๋ยวกลับมา.*",
            r"(?:मुझे|मैं|हमें) (?:नहीं पता|पता नहीं|नहीं मालूम|मालूम नहीं|नहीं जानता|नहीं जानती|समझ गया|समझ गई"
            r"|समझता हूँ)(?: .{0,20})?"
            r"|(?:मेरा|मेरे पास|मुझे) एक (?:सवाल|प्रश्न).*|मैं (?:अभी|जल्द|तुरंत) (?:आता|आती|वापस|लौट).*",
        )
    )
    + r")[\s.!…。！~)]*$"
)


def is_talk(plain: str) -> bool:
    """Say whether a sentence is an order about memory, or a state that is over with the next line.

    Args:
        plain: normalised text without case and accents, with straight apostrophes.
    """
    return _ORDER.search(plain) is not None or _STATE.search(plain) is not None
