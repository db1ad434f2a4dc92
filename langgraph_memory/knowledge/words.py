"""Words that are written with a capital letter without being names, or that stand beside names and give them away.

Everything is casefolded. The lists decide doubtful cases only (a sentence's first word, German nouns); a word that is
missing from them costs one wrong or one missed name, never more. Words that are also common first names (will, mark,
rose, hope, grace, may, bill, jack) are left out on purpose.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CALENDAR = _words("""
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun january
    february march april june july august september october november december jan feb mar apr jun jul aug sep sept
    oct nov dec montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag januar februar märz mai juni
    juli oktober dezember lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril juin
    juillet août septembre octobre novembre décembre lunes martes miércoles jueves viernes sábado domingo enero
    febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre segunda-feira terça-feira
    quarta-feira quinta-feira sexta-feira janeiro fevereiro março maio junho julho setembro outubro novembro
    dezembro lunedì martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio aprile maggio giugno luglio
    settembre ottobre dicembre maandag dinsdag woensdag donderdag vrijdag zaterdag zondag понедельник вторник среда
    четверг пятница суббота воскресенье январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь
    декабрь am pm bc ad gmt utc est pst cet
""")
"""Days, months and hours: dates are kept as times, not as names."""

PERSONS = _words("""
    i i'm i've i'd i'll i’m i’ve i’d i’ll me my we he she they you your it this that these those sie ihnen ihr
""")
"""Words for somebody, which no name contains."""

ENGLISH_FUNCTION = _words("""
    the of and to is i you it that for with he she they we my his her their our your are have has had does did not
    this at from by but what when where who which how why will would can could should about them there been were if
    or so just its was a an on in me him us as be do than then also very
""")
PRONOUNS = _words("""
    i me my mine we us our you your he him his she her they them their it its this that these those who what user
    users assistant someone somebody everyone everybody ich du er sie es wir ihr je tu il elle nous vous ils elles
    yo tú él ella nosotros ellos eu ele ela nós я ты он она оно мы вы они 我 你 您 他 她 它 我们 你们 他们 她们 自己
    大家 用户 私 僕 俺 彼 彼女 あなた 나 저 너 그 그녀 우리
""")
"""What stands for somebody without naming them."""

GERMAN_FUNCTION = _words("""
    der die das und ist ich du er sie wir ihr ein eine einen einem einer mit auf zu im den dem des nicht von für am
    sich auch wie bei nach aus hat habe wohnt mein meine meinen meiner dein seine ihre dass oder aber noch schon zum
    zur vom sind war wird kann mag
""")
FOREIGN_FUNCTION = _words("""
    le la les de du un une et est à au aux en pour qui que dans sur avec ne pas je tu il elle nous vous ils mon ma
    mes el los las y es por con para se lo su mi te yo una ha no o os da do dos das em um uma não com eu ele ela gli
    che di per non sono è het een van ik niet och att jag inte som på är og jeg ikke и в не на я он она с что это мы
    у по но за к от из мой моя
""")
"""Words by which a text shows its language."""

GERMAN_DETERMINERS = _words("""
    der die das den dem des ein eine einen einem einer eines kein keine keinen keinem mein meine meinen meinem
    meiner dein deine deinen deinem deiner sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere
    unseren euer eure dieser diese dieses diesen diesem jeder jede jedes jeden jedem welche welcher welches viel
    viele wenig wenige einige mehr etwas alle zwei drei vier fünf
""")
GERMAN_BEFORE_NAMES = _words("""
    in nach aus bei von mit für ab bis namens heißt heiße heisst heisse bin und oder sowie wie als an über gegen
    ohne um durch seit kennt kenne liebt trifft treffe besucht
""")
"""After these a German noun without an article is often a name."""

GERMAN_NOUNS = _words("""
    hause haus beruf ruhe zeit freund freunde freunden freundin kind kinder kindern eltern mutter vater bruder
    schwester familie musik kaffee tee milch zucker wasser brot bier wein fleisch fisch käse obst gemüse glück spaß
    angst lust hunger durst arbeit schule uni urlaub ferien hund hunde hunden katze katzen auto autos bus bahn zug
    fahrrad geld leute leuten menschen jahr jahre jahren tag tage tagen woche wochen monat monate monaten stunde
    stunden minuten morgen mittag abend nacht wochenende anfang ende mitte holz metall glas papier regen sonne
    schnee wind wetter sport fußball tennis yoga liebe hilfe seite weg hand hände kopf herz weihnachten ostern
    silvester geburtstag anwalt arzt ärztin lehrer lehrerin ingenieur ingenieurin student studentin kollegen
    kollegin chef nachbar nachbarn problem probleme frage fragen idee ideen ding dinge buch bücher film filme spiel
    spiele internet computer handy strom gas deutsch englisch französisch spanisch beispiel bezug recht stress
    sorgen plan pläne termin termine essen trinken frühstück mittagessen abendessen platz garten wohnung stadt land
    dorf berg berge meer see fluss wald kosten sicherheit gesundheit medizin mathematik physik chemie biologie
    informatik geschichte kunst politik wirtschaft blumen tieren tiere büro team teams projekt projekte dank gruß
    grüße herr frau dame
""")
"""Common German nouns that stand without an article."""

GERMAN_NOUN_ENDINGS = ("ung", "ungen", "heit", "keit", "schaft", "tion", "tät", "chen", "lein", "ling", "nis", "tum")

TITLES = _words("""
    mr mrs ms miss mx dr prof professor sir madam dame lord lady rev fr capt sgt lt col gen sen rep gov hon herr
    frau hr fräulein monsieur madame mademoiselle mme mlle m señor señora señorita sr sra srta don doña dom senhor
    senhora signor signora signorina dott dhr mevr господин госпожа г-н г-жа пан пані κύριος κυρία
""")
"""Before a name; left out of it, so that `Dr. Patel` and `Patel` are one."""

CONNECTORS = _words(
    "of de da do dos das di del della dei du des van von der den ter ten bin ibn bint zu zum zur av af e"
)
"""Lower-case words inside names. Articles count only after one of these (`of the`, `de la`)."""

INNER_ARTICLES = _words("the la las los les le l der den het")
LEADING_ARTICLES = _words("the la le el los las les san santa saint new")

PRODUCTS = _words("""
    iphone ipad macbook imac ipod galaxy pixel windows ios ipados macos android playstation xbox switch kindle
    python java php ruby gpt claude gemini llama mistral boeing airbus model route area apollo formula channel
    radeon ryzen core pentium geforce rtx gtx chapter
""")
"""Names after which a number belongs to the name (`Windows 11`)."""

CAPITALS = _words("""
    ok tv am pm asap fyi lol omg btw imo imho diy eta todo and not the but yes no faq ps nb tbd tba rip rsvp vip ceo
    cto cfo coo hr pr qa it id ids pin url urls api apis pdf cv phd ba ma bsc msc mba usd eur gbp jpy cny aka etc
    misc na wtf smh idk irl dm dms pov tldr xd ii iii iv vi vii viii ix
""")
"""Abbreviations in capitals that name nothing in particular."""

COMMON = _words("""
    i i'm i've i'd i'll you your yours he she it its it's we our they their his her him them us my mine me this that
    these those here there who whom whose what when where why how which the a an and or but nor so yet for if then
    than as at by in on of off to up down out over under with within without into from about after before again
    against between during until since while because although though unless once whether however therefore meanwhile
    moreover otherwise instead also too very just only even still already always never ever often sometimes usually
    maybe perhaps probably possibly definitely actually really quite rather almost nearly finally eventually lately
    recently currently soon now today tonight tomorrow yesterday later earlier next last first second third another
    other others each every everyone everybody everything someone somebody something anyone anybody anything no
    nobody none nothing one two three four five six seven eight nine ten several many much more most few fewer some
    any all both half be am is are was were been being do does did done don't doesn't didn't can can't cannot could
    couldn't should shouldn't would wouldn't shall may might must has have had haven't hasn't isn't aren't wasn't
    won't let let's lets yes yeah yep nope ok okay sure right well wow hey hi hello bye goodbye thanks thank thx
    please sorry congrats congratulations cool great good nice awesome amazing fantastic wonderful excellent perfect
    lovely beautiful haha hahaha lol omg oh ah aw aww uh um hmm yay yum ugh oops cheers welcome happy merry dear
    best better bad worse worst true false glad sad tired busy excited proud new old big small long short high low
    early late hot cold warm young free full empty hard easy open closed whole same different certain such own main
    top go going gone went come came get got give gave take took make made keep kept put see saw seen say said tell
    told ask asked know knew think thought feel felt find found look looked try tried use used want wanted need
    needed like liked love loved hate enjoy start started stop stopped begin help call called work worked play
    played run read write remember forget note check change add remove set send show bring buy bought pay sell eat
    ate drink drank sleep wake live lived move moved meet met visit visited plan planning hope wish guess believe
    imagine consider decide learn teach wait watch listen hear speak talk talking walk drive fly ride cook bake draw
    paint sing dance swim travel build follow share join turn leave left stay sit stand hold choose pick win lose
    lost grow prefer prefers likes loves given considering depending regarding based thinking looking hoping
    speaking working having doing mom mum mommy mama dad daddy papa mother father parents parent brother sister son
    daughter wife husband partner girlfriend boyfriend fiancé fiancée baby kid kids child children family families
    grandma grandpa grandmother grandfather aunt uncle cousin nephew niece friend friends neighbor neighbour
    neighbors boss colleague colleagues coworker coworkers team people person man woman men women guys folks ladies
    gentlemen girl girls boy boys user users assistant client clients customer customers student students teacher
    teachers doctor doctors nurse breakfast lunch dinner brunch supper coffee tea water milk wine beer juice food
    meal meals pizza pasta sushi rice bread cheese chocolate fruit sugar salt meat fish chicken cake dessert snack
    snacks dog dogs cat cats pet pets puppy kitten bird birds horse horses animal animals plants plant flowers tree
    trees home house apartment flat room kitchen bathroom bedroom garden office school college university church
    hospital store shop shops market restaurant hotel gym park beach city town country village street road airport
    station car cars bike bus train plane boat traffic parking trip trips vacation holiday holidays flight tickets
    phone phones computer laptop internet wifi email emails message messages text app apps website software data
    code file files photo photos picture pictures video videos music song songs movie movies film films book books
    game games shows series news story stories art painting pottery yoga running hiking camping swimming gardening
    reading writing cooking baking cycling therapy exercise sports football soccer basketball baseball tennis money
    price prices rent job jobs business company companies project projects meeting meetings schedule deadline task
    tasks goal goals idea ideas problem problems question questions answer answers issue issues reason reasons
    result results example examples thing things part parts point way ways kind type list notes update updates
    version changes plans step steps option options number numbers name names address birthday birthdays anniversary
    wedding party parties christmas easter weekend weekends weekday weekdays morning afternoon evening night day
    days week weeks month months year years hour hours minute minutes time times summer winter spring fall autumn
    season weather rain snow sun sunshine wind health pain life death luck fun peace war history science math
    mathematics physics chemistry biology english class classes course courses lesson lessons exam exams homework
    research study studies training practice support advice feedback experience memory memories feeling feelings
    dream dreams interest hobby hobbies habit habits color colour size weight height age gender language languages
    culture religion politics government law rule rules group groups community society world earth nature
    environment energy power light lights fire air black white red green blue yellow orange purple pink brown gray
    grey golden silver north south east west northern southern eastern western inside outside upstairs downstairs
    anyway besides indeed overall apart despite except per via unlike according due plus minus long-term short-term
    self-care part-time full-time step-by-step todo woah whoa yup nah agreed oof woohoo phew woo hah meh eh huh aha
    yikes gosh absolutely together joined super safe sweet mental cute chess guitar piano confidence success
    tutorials fantasy anytime fair fine totally hopefully
""")
"""English words that often begin a sentence, or are capitalised for emphasis."""

FOREIGN_COMMON = _words("""
    le la les l un une des du de et est il elle ils elles je j tu nous vous on mon ma mes ton ta tes son sa ses
    notre votre leur ce cette ces c'est qui que quoi où quand comment pourquoi oui non merci bonjour salut hier
    demain aujourd'hui j'ai j'aime j'habite mais donc aussi très pour avec dans el los las una unos unas mi mis tus
    su sus nuestro nuestra yo él ella ellos nosotros usted me te se lo es está estoy soy tengo tiene vivo vive
    trabajo trabaja quiero quiere gusta fui voy hoy ayer mañana sí no gracias hola pero porque cuando donde dónde
    qué quién cómo también muy ahora después antes con para por en o os as um uma meu minha seu sua eu ele ela nós
    você moro tenho gosto trabalho hoje ontem amanhã sim não obrigado obrigada olá mas quando onde também gli uno io
    lui lei noi voi loro mio mia ho ha abito lavoro oggi ieri domani sì grazie ciao perché anche het een ik jij hij
    zij wij mijn jouw zijn haar ons dit dat woon werk vandaag gisteren morgen ja nee dank hallo der die das den dem
    ein eine einen ich er sie wir ihr mein meine meinen meinem meiner dein deine sein seine ihre unser unsere ist
    sind war hat habe bin wohne arbeite mag heute gestern nein danke guten aber und oder wenn weil dass als auch
    noch nur sehr dann dort wo wann wer wie was warum seit nach vor mit bei für ohne im am zum zur beim vom auf aus
    in an über unter zwischen ihnen ihm ihn uns euch man jetzt leider vielleicht jag han hon vi det ett min mitt
    mina jeg hun я ты он она оно мы вы они мой моя моё мои твой наш наша ваш его её их это этот эта эти тот та те
    кто что где когда как почему зачем какой какая да нет спасибо привет здравствуйте пожалуйста сегодня вчера
    завтра сейчас потом сначала очень тоже также если но и а или потому чтобы у в во на с со к от до из за по для
    без под над при про о об мама папа брат сестра муж жена сын дочь бабушка дедушка друг подруга друзья собака
    кошка кот работа погода дом дети семья врач учитель начальник вопрос ответ книга фильм музыка еда утром вечером
    днём ночью летом зимой весной осенью мне меня тебе тебя ему ей нам вам им есть был была было были будет надо
    нужно можно нельзя люблю хочу живу работаю ο η το οι τα ένας μια ένα εγώ εσύ αυτός αυτή εμείς και αλλά ναι όχι
    σήμερα χθες αύριο μου σου του στην στο στον τι πού πότε πώς γιατί ποιος ти він вона ми ви вони мій це що де коли
    як чому так ні дякую привіт сьогодні вчора
""")
"""The same for other languages: what their sentences begin with."""

SUBJECT_VERBS = _words("""
    is isn't was wasn't has hasn't had will won't would can can't could does doesn't did didn't should might may
    must 's likes loves hates enjoys prefers wants needs lives works studies teaches plays owns runs drives goes
    comes gets gives takes makes keeps says tells asks knows thinks feels finds looks tries uses calls helps starts
    moves visits plans hopes believes remembers forgets learns speaks talks writes reads sings dances cooks bakes
    paints travels collects drinks eats sleeps wears buys sells leads manages builds creates designs develops
    supports follows shares joins leaves stays sits stands wins loses grows turns turned recommends recommended
    suggests suggested lived worked moved went came got gave took made kept said told asked knew thought felt found
    looked tried used called helped started stopped visited planned hoped believed remembered forgot learned spoke
    talked wrote read sang danced cooked baked painted travelled traveled bought sold led managed built created
    designed developed supported followed shared joined left stayed sat stood won lost grew became began broke
    brought caught chose drew drove ate drank fell flew met married graduated announced released launched published
    acquired invited mentioned explained promised wanted needed liked loved hated enjoyed preferred wore ran died
    signed received sent showed adopted attended played studied taught always never often usually also just really
    recently finally est a habite travaille aime veut dit était vit vient parle joue lit sera va está es tiene vive
    trabaja quiere dijo fue era ama viene habla juega estudia ist hat wohnt lebt arbeitet mag war sagt liebt kommt
    heißt spielt studiert geht möchte è ha lavora vuole abita dice é tem mora trabalha gosta quer foi disse heeft
    woont werkt houdt wil zegt är har bor arbetar jobbar er живёт живет работает любит хочет сказал сказала был была
    есть учится купил купила приехал приехала переехал переехала пошёл пошла играет пишет читает говорит знает
    думает родился родилась купит едет είναι έχει μένει ζει δουλεύει αγαπά θέλει είπε ήταν живе працює любить хоче
    сказав був була
""")
"""What a person, and rarely a plural or a thing, does: after a sentence's first word they make it a subject."""

AFTER_PLURALS = _words("""
    are were aren't weren't have haven't do don't can can't could will won't would should must might may need help
    make that which who whose and or of in on at for with from by as than near like
""")
"""What follows a plural rather than a verb ("solar panels are", "Ana repairs clocks")."""

COMMON_ENDINGS = ("ing", "tion", "sion", "ness", "ment", "able", "ible", "less", "ous", "ism", "ology", "wards", "ly")
NAMES_IN_LY = _words(
    "emily kimberly beverly sally kelly molly billy lily holly polly dolly carly charly elly kimberley"
)
