"""Words that cannot both be true where all others are the same: opposites, negations, and families such as colours."""

from functools import lru_cache

from ...state.text.segments import stemmed

NEGATIONS = {
    "en": "not n't no never cannot without neither nor nobody nothing none non",
    "de": "nicht kein keine keinen keinem keiner keines nie niemals ohne niemand nichts",
    "fr": "ne n' pas jamais aucun aucune sans rien personne ni",
    "es": "no nunca jamás sin ningún ninguna ninguno nadie nada ni tampoco",
    "ko": "안 못 않는다 않다 않았다 아니다 없다",
}

OPPOSITES = """
largest|biggest|greatest smallest|tiniest; larger|bigger|greater smaller; longest shortest; longer shorter;
tallest|highest lowest|shortest; higher|taller lower|shorter; deepest shallowest; oldest|eldest youngest|newest; older
younger|newer; heaviest lightest; heavier lighter; fastest|quickest slowest; faster slower; hottest|warmest
coldest|coolest; hotter|warmer colder|cooler; richest poorest; best|finest worst; most fewest|least; more fewer|less;
earliest latest; earlier later; first last; before after; above below; inside outside; male|men|man female|women|woman;
king queen; husband wife; brother sister; brothers sisters; son daughter; father mother; boy girl; actor actress;
increase|increases|increased|rose|risen|grew|rise decrease|decreases|decreased|fell|fallen|declined|fall;
won|wins|win|victory lost|loses|lose|defeat; success|successful|succeeded failure|unsuccessful|failed; positive
negative; majority minority; maximum minimum; accepted rejected; always never|rarely|seldom; everyone nobody; hot cold;
left right; upper lower; odd even; public private; alive dead; married unmarried|single; clockwise
counterclockwise|anticlockwise; carnivore|carnivorous herbivore|herbivorous; nocturnal diurnal; solid liquid; same
different; inland coastal; true false; domestic international; amateur professional; guilty innocent; for against; with
without; over under|below; above under|below; no|none|nobody|nothing|neither
all|every|everyone|everything|each|most|many|both|half|some|several; few all|every|each|most; minimum maximum;
open|opened|opens|opening close|closed|closes|shut|closing; begin|began|begins|begun|start|started|starts
end|ended|ends|finish|finished|stop|stopped|stops; continue resume stop cease; buy|bought|buys|purchased|acquired
sell|sold|sells; built|constructed|erected|restored|rebuilt demolished|destroyed|razed|dismantled; join|joined|entered
leave|left|quit; arrive|arrived|arrives depart|departed|departs|leave|leaves|left; import export; love|like
hate|dislike; raise|raised|lifted lower|lowered; allow|allowed|permit|permitted|legal|legalised|legalized
forbid|forbidden|ban|banned|prohibit|prohibited|outlawed|illegal; gain|gained lose|lost; widen|widened narrow|narrowed;
lengthened|extended shortened; froze|freeze|frozen melt|melted|thawed; enlarged|expanded reduced|shrank|cut;
climbed|increased|grew|soared|rose|grown dropped|decreased|declined|shrank|plunged|sank|fell;
accept|approved|adopted|passed reject|refused|declined|rejected; lent borrowed; taught learned; precedes|preceded
follows|followed; born died; appeared disappeared|vanished; defended attacked; protected harmed|damaged;
hire|hired|employed|recruited|appointed fire|fired|dismissed|sacked; upheld|confirmed
overturned|quashed|lifted|annulled; imposed|introduced abolished|lifted|repealed|scrapped;
supported|backed|favoured|favored opposed|resisted; admitted|included excluded|omitted; confirmed denied|refuted;
proved disproved; remembered|recalled forgot; strengthened weakened; improved worsened|deteriorated; accelerated
slowed; heated|warmed cooled; attracts|attracted repels|repelled; encouraged|encourages discouraged|discourages; agreed
disagreed; survived died|perished; saved wasted|spent; sent received; gave|granted took|withdrew; praised
criticised|criticized|condemned; revealed|disclosed concealed|hid; freed|released|acquitted
imprisoned|jailed|convicted; united|merged split|divided; connected disconnected|separated; ascended descended;
advanced retreated; evacuated occupied; fill|filled empty|emptied|drained; lock|locked unlock|unlocked; add|added
remove|removed|subtract|subtracted; insert|inserted remove|removed; create|created destroy|destroyed; kept
discarded|returned; fastened loosened; floats|floated sinks|sank; landed launched; doubled halved; delayed hastened;
promoted demoted; nationalised|nationalized privatised|privatized; signed broke; contracted expanded; ratified
rejected; deposited withdrew; simplified complicated; in out; on off; up down; empty full; safe
dangerous|unsafe|hazardous; shallow deep; cheap|inexpensive expensive|costly; free charged|chargeable; wet|rainy dry;
wetter drier; wettest driest; strong weak; stronger weaker; strongest weakest; thick thin; thicker thinner; wide|broad
narrow; wider narrower; widest narrowest; rich poor; heavy light; hard|tough soft; rough smooth; bright|light dark|dim;
brighter darker; clean dirty|polluted; common|frequent|abundant rare|scarce; commoner rarer; large|big
small|tiny|little; long short; tall|high low|short; old|ancient young|new|modern; fast|quick|rapid|quickly slow|slowly;
early late; warm cool; easy|simple hard|difficult|complicated; rural urban; permanent temporary; flexible rigid;
natural artificial; acidic alkaline|basic; sweet bitter|sour; noisy|loud quiet|silent; asleep awake; sick|ill healthy;
civilian military; compulsory|mandatory|obligatory|required optional|voluntary; visible hidden; present absent; extinct
thriving|alive; flat mountainous|hilly; transparent opaque; foreign domestic; horizontal vertical; convex concave;
local global; profitable loss-making; peaceful violent; harmless harmful|poisonous|toxic; edible poisonous|inedible;
fertile barren|infertile; genuine|authentic fake|forged; friendly hostile; generous mean|stingy; sharp blunt; steep
gentle; steepest gentlest; calm stormy; sunny cloudy; northernmost southernmost; easternmost westernmost; top bottom;
nearer|closer farther|further; nearest|closest farthest|furthest; quieter louder; cheaper dearer; softer harder; safer
riskier; hotter colder; must|shall may|can; written oral|verbal; vor nach; mit ohne; über unter; mindestens höchstens;
schriftlich|schriftliche|schriftlicher|schriftlichen mündlich|mündliche|mündlicher|mündlichen; offen|geöffnet
geschlossen; öffnen schließen; erlaubt|gestattet verboten|untersagt; groß klein; größte kleinste; größer kleiner;
höchste niedrigste; älteste jüngste; erste letzte; früher später; immer nie; steigt|stieg|gestiegen
sinkt|sank|gesunken; kostenlos|gratis kostenpflichtig; links rechts; jeder|alle niemand|keiner; gewann verlor; warm
kalt; hell dunkel; avant après; avec sans; plus moins; sur sous; ouvert|ouverte fermé|fermée; grand|grande
petit|petite; premier dernier; première dernière; toujours jamais; gratuit payant; autorisé interdit; chaud froid;
gauche droite; antes después; con sin; más menos; abierto|abierta cerrado|cerrada; grande pequeño|pequeña; primero
último; siempre nunca; permitido prohibido; caliente frío; izquierda derecha; máximo mínimo
"""
"""Two sides before each `;`, and `|` joins words that stand on one side."""

FAMILIES = """
north|northern south|southern east|eastern west|western north-east|northeast|northeastern north-west|northwestern
south-east|southeast|southeastern south-west|southwest|southwestern; American Afghan Albanian Algerian
Argentine|Argentinian Armenian Australian Austrian Belgian Bolivian Brazilian British|English|Scottish|Welsh Bulgarian
Canadian Chilean Chinese Colombian Croatian Cuban Czech Danish Dutch Egyptian Estonian Ethiopian Finnish French German
Greek Hungarian Icelandic Indian Indonesian Iranian|Persian Iraqi Irish Israeli Italian|Roman Jamaican Japanese Kenyan
Korean Latvian Lithuanian Malaysian Mexican Moroccan Nepalese Nigerian Norwegian Pakistani Peruvian Philippine|Filipino
Polish Portuguese Romanian Russian|Soviet Serbian Slovak Slovenian Spanish Swedish Swiss Syrian Thai Tunisian
Turkish|Ottoman Ukrainian Uruguayan Venezuelan Vietnamese; Latin Greek English French German Spanish Italian Portuguese
Russian Arabic Chinese Japanese Korean Hebrew Sanskrit; red orange yellow green blue purple|violet pink brown black
white grey|gray; hydrogen helium carbon nitrogen oxygen sulphur|sulfur phosphorus chlorine sodium potassium calcium
silicon neon argon radium polonium uranium plutonium; gold silver bronze copper iron steel aluminium|aluminum lead tin
zinc titanium mercury platinum; granite marble limestone sandstone basalt slate brick concrete wood; Mercury Venus Mars
Jupiter Saturn Uranus Neptune Pluto; Atlantic Pacific Arctic Antarctic Indian; physics chemistry|chemical
biology|biological medicine|physiology literature|Literature economics mathematics astronomy geology philosophy law
peace|Peace; Physics Chemistry Medicine Literature Peace Economics; spring summer autumn winter; Monday|Mondays
Tuesday|Tuesdays Wednesday|Wednesdays Thursday|Thursdays Friday|Fridays Saturday|Saturdays Sunday|Sundays; January
February March April May June July August September October November December; Januar Februar März April Mai Juni Juli
August September Oktober November Dezember; Montag|montags Dienstag|dienstags Mittwoch|mittwochs Donnerstag|donnerstags
Freitag|freitags Samstag|samstags Sonntag|sonntags; football|soccer baseball basketball hockey tennis cricket rugby
golf volleyball boxing swimming cycling; piano|pianist violin|violinist cello|cellist guitar|guitarist flute|flutist
trumpet|trumpeter drums|drummer organ|organist saxophone|saxophonist harp|harpist; mammal|mammals bird|birds
reptile|reptiles amphibian|amphibians fish insect|insects arachnid|arachnids marsupial|marsupials
crustacean|crustaceans; physicist chemist biologist mathematician astronomer physician|doctor engineer architect
painter sculptor composer novelist poet playwright philosopher economist lawyer politician; novel|book film|movie opera
play ballet symphony poem painting sculpture; Christian|Christianity Muslim|Islam|Islamic Jewish|Judaism
Buddhist|Buddhism Hindu|Hinduism Sikh|Sikhism; Catholic Protestant Orthodox; Republican Democrat|Democratic; daily
weekly monthly annually|yearly; second|seconds minute|minutes hour|hours day|days week|weeks month|months year|years
decade|decades century|centuries; director manager secretary treasurer chair|chairman
"""
"""Words that exclude each other where they stand in the same place; case counts, but not for a capital alone."""

PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "non-")
"""What turns an adjective or a verb into its opposite."""
NO_OPPOSITES = frozenset("valuable flammable habitable famous different side to door deed put come".split())

IN_CHINESE = """
上升|上涨|增加|增长|提高|升|涨|增 下降|下跌|减少|降低|降|跌|减; 最多|至多|不超过 最少|至少|不少于; 多于|超过|高于
少于|不足|低于; 以上 以下; 以前|之前|前 以后|之后|后; 通过|批准|接受|同意|赞成|支持 否决|驳回|拒绝|反对; 允许|准许|可以
禁止|不得|不可; 合法 非法|违法; 成功 失败; 胜利|获胜|胜|赢 失败|落败|败|输; 开始 结束; 开放|开启|打开|开 关闭|关;
购买|买入|买进|买 出售|卖出|售出|卖; 进口 出口; 加入 退出|离开; 建造|建成 拆除|摧毁; 大于 小于; 早于|先于 晚于; 长于
短于; 安全 危险; 公开 秘密; 公立|公有 私立|私有; 雇用|聘用 解雇; 承认 否认; 出现 消失; 必须 不必|不得; 易溶 难溶; 淡水
咸水|海水; 永久 临时; 真迹|真品 赝品|伪作; 有 没有|无; 是 不是; 会 不会; 能 不能; 宜 不宜; 可 不可; 可以 不可以|不可;
曾 未曾; 已 未; 了解 不了解; 免费 收费; 증가 감소; 상승 하락; 늘 줄; 올랐 내렸|떨어졌; 이상|초과 이하|미만; 이전 이후;
전에 후에; 먼저 나중에; 최대 최소; 찬성 반대; 승인|가결|통과 거부|기각|부결; 허용 금지; 합법 불법; 성공 실패; 승리
패배; 이겼 졌|패했; 수입 수출; 가입 탈퇴; 고용 해고; 시작 종료; 열렸 닫혔; 개장 폐장; 개교 폐교; 샀 팔았; 매입|구입
매각|판매; 안전 위험; 크다 작다; 높다 낮다; 길다 짧다; 넓다 좁다; 깊다 얕다; 많다 적다; 빠르다 느리다; 무겁다 가볍다;
무료 유료; 공립 사립; 있다 없다; 있었 없었; 인정 부인; 설립|창립 해산; 건설|건립 철거; 도착 출발; 입학 졸업; 태어났
죽었|사망했
"""
QUALITIES_IN_CHINESE = """
大 小; 高 低|矮; 长 短; 宽 窄; 深 浅; 快 慢; 轻 重; 新 旧; 热 冷; 富 穷; 早 晚; 多 少; 贵 便宜; 强 弱; 厚 薄
"""
"""Opposites where something is said to be so: the old bridge and the new one may both be high."""
EXCLUSIVE_IN_CHINESE = """
红 黄 绿 蓝 黑 白 紫; 金 银 铜 铁; 花岗岩 石灰岩|石灰石 大理石 砂岩 玄武岩
"""


def _sides(lines: str) -> dict[str, dict[int, int]]:
    """For every word: in which rows it is, and on which side of each."""
    rows_of: dict[str, dict[int, int]] = {}
    for number, row in enumerate(lines.split(";")):
        for side, words in enumerate(row.split()):
            for word in words.split("|"):
                rows_of.setdefault(word, {})[number] = side
    return rows_of


_OPPOSITES, _FAMILIES = _sides(OPPOSITES), _sides(FAMILIES)


def pairs(lines: str) -> tuple[tuple[str, str], ...]:
    """Each word of one side of a table with each of another, the longest first."""
    every: set[tuple[str, str]] = set()
    for row in lines.split(";"):
        sides = [side.split("|") for side in row.split()]
        every |= {
            (one, other) for ones in sides for others in sides if ones is not others for one in ones for other in others
        }
    return tuple(sorted(every, key=lambda pair: -len(pair[0]) - len(pair[1])))


def _apart(table: dict[str, dict[int, int]], one: str, other: str) -> bool:
    theirs = table.get(other, {})
    return any(theirs.get(row, side) != side for row, side in table.get(one, {}).items())


@lru_cache(maxsize=20_000)
def are_opposite(one: str, other: str) -> bool:
    """Whether two words exclude each other where all others are the same: `safe`, `dangerous`; `red`, `green`."""
    if "-" in one and one.count("-") == other.count("-"):
        parts = [pair for pair in zip(one.split("-"), other.split("-"), strict=True) if pair[0] != pair[1]]
        return len(parts) == 1 and are_opposite(*parts[0])
    if _apart(_FAMILIES, one, other) or (one.istitle() and _apart(_FAMILIES, one.lower(), other.lower())):
        return True
    if one.lower() == other.lower():
        return False
    one, other = one.lower(), other.lower()
    if _apart(_OPPOSITES, one, other) or _apart(_FAMILIES, one, other):
        return True
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and short not in NO_OPPOSITES and any(prefix + short == long for prefix in PREFIXES)


def is_one_of_many(word: str) -> bool:
    """Whether a word belongs to a family: it tells apart, as `Polish` and `red` do."""
    return word in _FAMILIES or word.lower() in _FAMILIES


OF_TIME = frozenset(
    word
    for row in FAMILIES.split(";")
    if {"Monday|Mondays", "January", "spring", "Januar", "Montag|montags"} & set(row.split())
    for side in row.split()
    for word in side.split("|")
)
"""Weekdays, months and seasons: what holds on one of them may hold on another."""
COUNTRIES = frozenset(
    """Afghanistan Albania Algeria Argentina Armenia Australia Austria Belgium Bolivia Brazil Britain Bulgaria Canada
    Chile China Colombia Croatia Cuba Denmark Ecuador Egypt England Estonia Ethiopia Finland France Germany Greece
    Hungary Iceland India Indonesia Iran Iraq Ireland Israel Italy Jamaica Japan Kenya Korea Latvia Lebanon Libya
    Lithuania Luxembourg Malaysia Malta Mexico Mongolia Morocco Nepal Netherlands Nigeria Norway Pakistan Peru
    Philippines Poland Portugal Romania Russia Scotland Serbia Slovakia Slovenia Spain Sweden Switzerland Syria
    Thailand Tunisia Turkey Ukraine Uruguay Venezuela Vietnam Wales Zealand States Kingdom US USA UK Africa America
    Asia Europe Antarctica Oceania California Texas Florida Bavaria Tuscany""".split()
)
"""What a city lies in: a country and a city do not exclude each other."""


CONTINENTS = frozenset("Africa America Asia Europe Antarctica Oceania".split())


def stem(word: str) -> str:
    """The stem by which words are compared, the same for words that name the same relation."""
    lower = word.lower()
    return _RELATION_OF.get(lower) or stemmed(lower)


SAME = """
complete completed finish finished completion; begin began begun start started commenced; birth born; die died death
dies; build built constructed construction erected; write wrote written authored penned author writer; design designed
architect designer; invent invented inventor; discover discovered discovery; compose composed composer; paint painted
painter; direct directed director; found founded founder established; locate located situated stands stand lies lie;
tall height high; long length; wide width; deep depth; weigh weighs weight mass; open opened inaugurated; release
released; win won wins winner receive received award awarded; area cover covers covered surface; sell sold; buy bought;
flow flows empties; take took taken; make made; give gave given; hold held; sink sank sunk; lead led; cost costs;
become became; know known; see saw seen; go went gone; come came; fall fell; rise rose; grow grew large big; people
inhabitants population residents; marry married; movie film; country nation; about approximately roughly around circa
ca; have has had; run ran runs
"""
"""Words that name the same relation."""
_RELATION_OF = {word: row.split()[0] for row in SAME.split(";")[::-1] for word in row.split()}
RELATIONS = frozenset(_RELATION_OF.values())
"""The words that stand for a relation."""


def others(word: str) -> list[str]:
    """The words of a word's families on other sides: what could stand in its place and be wrong."""
    return sorted({other for table in (_OPPOSITES, _FAMILIES) for other in table if _apart(table, word, other)})
