"""Words of which only one can be true in one place: opposites, and families such as nationalities and colours."""

from .tables import table
from .verbs import base_form

OPPOSITES = """
largest|biggest|greatest smallest|tiniest; larger|bigger|greater smaller; longest shortest; longer shorter;
tallest|highest lowest|shortest; higher|taller lower|shorter; deepest shallowest; oldest youngest|newest; older
younger|newer; heaviest lightest; heavier lighter; fastest|quickest slowest; faster slower; hottest|warmest
coldest|coolest; hotter|warmer colder|cooler; richest poorest; best|finest worst; most fewest|least; more fewer|less;
earliest latest; earlier later; first last; before after; above below; inside outside; male|men|man
female|women|woman; king queen; husband wife; brother sister; brothers sisters; son daughter; father mother; boy girl;
actor actress; increase|increases|increased|rose|risen|grew decrease|decreases|decreased|fell|fallen|declined|shrank;
won|wins|win|victory lost|loses|lose|defeat; success|successful|succeeded failure|unsuccessful|failed; positive
negative; majority minority; maximum minimum; accepted rejected; always never; everyone nobody; hot cold; left right;
upper lower; odd even; public private; alive dead; married unmarried|single; clockwise counterclockwise|anticlockwise;
carnivore|carnivorous herbivore|herbivorous; vertebrate|vertebrates invertebrate|invertebrates; nocturnal diurnal;
solid liquid; same different; east|eastern west|western; inland coastal; fiction nonfiction|non-fiction; fictional
nonfictional; true false; wealthy poor; domestic international; amateur professional; guilty innocent
"""
"""Two sides before each `;`, and `|` joins words that stand on one side."""

FAMILIES = {
    "direction": "north|northern south|southern east|eastern west|western north-east|northeast|northeastern "
    "north-west|northwest|northwestern south-east|southeast|southeastern south-west|southwest|southwestern",
    "nationality": """American Afghan Albanian Algerian Argentine|Argentinian Armenian Australian Austrian Belgian
    Bolivian Brazilian British|English|Scottish|Welsh Bulgarian Canadian Chilean Chinese Colombian Croatian Cuban Czech
    Danish Dutch Egyptian Estonian Ethiopian Finnish French German Greek Hungarian Icelandic Indian Indonesian
    Iranian|Persian Iraqi Irish Israeli Italian|Roman Jamaican Japanese Kenyan Korean Latvian Lebanese Lithuanian
    Malaysian Mexican Moroccan Nepalese Nigerian Norwegian Pakistani Peruvian Philippine|Filipino Polish Portuguese
    Romanian Russian|Soviet Serbian Slovak Slovenian Spanish Swedish Swiss Syrian Thai Tunisian Turkish|Ottoman
    Ukrainian Uruguayan Venezuelan Vietnamese""",
    "colour": "red orange yellow green blue purple|violet pink brown black white grey|gray",
    "element": "hydrogen helium carbon nitrogen oxygen sulphur|sulfur phosphorus chlorine sodium potassium calcium "
    "silicon neon argon radium polonium uranium plutonium",
    "metal": "gold silver bronze copper iron steel aluminium|aluminum lead tin zinc titanium mercury platinum",
    "stone": "granite marble limestone sandstone basalt slate brick concrete",
    "planet": "Mercury Venus Mars Jupiter Saturn Uranus Neptune Pluto",
    "ocean": "Atlantic Pacific Arctic Antarctic",
    "field": "physics chemistry|chemical biology|biological medicine|physiology literature economics mathematics "
    "astronomy geology philosophy law",
    "prize subject": "Physics Chemistry Medicine|Physiology Literature Peace Economics|Economic",
    "season": "spring summer autumn winter",
    "weekday": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "month": "January February March April June July August September October November December",
    "sport": "football|soccer baseball basketball hockey tennis cricket rugby golf volleyball boxing swimming cycling",
    "instrument": "piano|pianist violin|violinist cello|cellist guitar|guitarist flute|flutist trumpet|trumpeter "
    "drums|drummer organ|organist saxophone|saxophonist harp|harpist bass|bassist",
    "animal class": "mammal|mammals bird|birds reptile|reptiles amphibian|amphibians fish insect|insects "
    "arachnid|arachnids marsupial|marsupials crustacean|crustaceans",
    "profession": "physicist chemist biologist mathematician astronomer physician|doctor engineer architect painter "
    "sculptor composer novelist poet playwright philosopher economist lawyer politician",
    "work": "novel|book film|movie|motion opera play ballet symphony poem painting sculpture",
    "genre": "comedy tragedy thriller horror western documentary romance|romantic drama",
    "religion": "Christian|Christianity|Catholic|Protestant Muslim|Islam|Islamic Jewish|Judaism Buddhist|Buddhism "
    "Hindu|Hinduism Sikh|Sikhism",
    "faith in Christ": "Catholic Protestant Orthodox",
    "party": "Republican Democrat|Democratic",
    "war": "Napoleonic Crimean Vietnam Korean",
    "size of a day": "daily weekly monthly annually|yearly",
    "currency": "dollar euro pound yen yuan rupee franc krona peso rouble|ruble mark lira",
    "language of Asia": "Mandarin Cantonese",
    "language": "Latin Greek English French German Spanish Italian Portuguese Russian Arabic Chinese Japanese Korean "
    "Hebrew Sanskrit Polish Dutch Turkish Hindi Persian Danish Swedish Norwegian",
}
"""Words that exclude each other where they stand in the same place."""


def _sides() -> dict[str, dict[str, str]]:
    """For every word: in which families it is, and on which side."""
    families_of: dict[str, dict[str, str]] = {}
    lines = {f"opposite {number}": line for number, line in enumerate(OPPOSITES.split(";"))}
    for family, line in (lines | FAMILIES).items():
        for side in line.split():
            for word in side.split("|"):
                families_of.setdefault(word, {})[family] = side.split("|")[0]
    return families_of


_SIDES = _sides()


def families(word: str) -> dict[str, str]:
    """The families a word belongs to, each with the side it stands on. Case counts: `Polish` is not `polish`."""
    return _SIDES.get(word) or _SIDES.get(word.lower() if word.isupper() or word.istitle() else word, {})


def side_of(word: str) -> str:
    """The word that stands for a word's side, the same for `largest` and `biggest`; empty if it has no opposite."""
    return next(iter(families(word).values()), "")


def others(word: str) -> list[str]:
    """The words that stand for the other sides of a word's families: what could stand in its place and be wrong."""
    mine = families(word)
    sides = [
        side
        for families_of_word in _SIDES.values()
        for family, side in families_of_word.items()
        if mine.get(family, side) != side
    ]
    return [side for side in dict.fromkeys(sides) if side.lower() != word.lower()]


def opposed(word: str, other: str) -> bool:
    """Whether two words stand on different sides of a family."""
    theirs = families(other)
    return any(theirs.get(family, side) != side for family, side in families(word).items())


def alike(word: str, other: str) -> bool:
    """Whether two words stand on the same side."""
    theirs = families(other)
    return any(theirs.get(family) == side for family, side in families(word).items())


OPPOSITE_VERBS = """
    open close|shut; begin|start end|finish|stop; continue|resume stop|cease; buy|purchase|acquire sell;
    build|construct|erect|restore|rebuild demolish|destroy|raze|dismantle; join|enter leave|quit; arrive
    depart|leave; import export; love|like hate|loathe|dislike; raise|lift lower; allow|permit|let
    forbid|ban|prohibit; legalise|legalize ban|outlaw|prohibit|criminalise|criminalize; gain lose; win lose;
    marry divorce; widen narrow; lengthen|extend shorten; freeze melt|thaw; enlarge|expand reduce|shrink;
    rise|climb|increase|grow|soar fall|drop|decrease|decline|shrink|plunge|sink;
    accept|approve|adopt|pass|embrace reject|refuse|decline; lend borrow; teach learn; succeed fail; precede
    follow; bear die; appear disappear|vanish; defend attack; protect harm|damage|endanger;
    hire|employ|recruit|appoint fire|dismiss|sack; uphold|confirm overturn|quash|lift|annul; impose|introduce
    abolish|lift|repeal|scrap; support|back|favour|favor oppose|resist; admit|include exclude|omit;
    admit|confess deny; confirm deny; confirm refute; prove disprove; remember|recall forget; strengthen
    weaken; improve worsen|deteriorate; accelerate slow; heat|warm cool; attract repel; encourage discourage;
    agree disagree; obey disobey; trust distrust; survive die|perish; save waste|spend; send receive;
    give|grant take|withdraw; publish suppress; praise criticise|criticize|condemn; reveal|disclose
    conceal|hide; free|release|acquit imprison|jail|convict; arm disarm; unite|merge split|divide; connect
    disconnect|separate; ascend descend; advance retreat; evacuate occupy; fill empty|drain; lock unlock; load
    unload; cover uncover; tie untie; add remove|subtract; create destroy; keep discard; fasten loosen; deepen
    fill; gather|assemble scatter|disperse; float sink; land launch; double halve; delay hasten; flood spare;
    recover deteriorate; promote demote; nationalise|nationalize privatise|privatize; recognise|recognize
    ignore; sign break; contract expand; ratify reject; deposit withdraw; simplify complicate; 시작 끝; 열 닫;
    오르 내리; 늘 줄; 이기 지; 태어나 죽; 많 적; 크 작; 높 낮; 길 짧; 있 없; 넓 좁; 빠르 느리; 증가 감소; 상승
    하락; 찬성 반대; 승인 거부; 허용 금지; 수입 수출; 합법 불법; 승리 패배; 성공 실패; 가입 탈퇴
"""
"""Verbs, and Korean adjectives, that cannot both be true of one thing at one time; Korean ones by their stems."""

OPPOSITE_PREDICATES = """
    safe dangerous|unsafe|hazardous; shallow deep; cheap|inexpensive expensive|costly; free charged|full;
    wet|rainy dry; wetter drier; wettest driest; strong weak; stronger weaker; strongest weakest; thick thin;
    thicker thinner; wide|broad narrow; wider narrower; widest narrowest; rich poor; heavy light; hard|tough
    soft; rough smooth; bright|light dark|dim; brighter darker; full empty; open closed|shut; clean
    dirty|polluted; common|frequent|abundant rare|scarce; commoner rarer; large|big small|tiny|little; long
    short; tall|high low|short; old|ancient young|new|modern; fast|quick|rapid slow; early late; hot|warm
    cold|cool; easy|simple hard|difficult|complicated; rural urban; permanent temporary; flexible rigid;
    natural artificial; acidic alkaline|basic; sweet bitter|sour; noisy|loud quiet|silent; innocent guilty;
    asleep awake; sick|ill healthy; civilian military; compulsory|mandatory|obligatory optional|voluntary;
    visible hidden; present absent; alive extinct|dead; thriving extinct; flat mountainous|hilly; popular
    unpopular; lucky unlucky; transparent opaque; domestic foreign; ancient modern; horizontal vertical; convex
    concave; equal unequal; local global; known unknown; ready unready; profitable loss-making; peaceful
    violent; tolerant intolerant; harmless harmful|poisonous|toxic; edible poisonous|inedible; fertile
    barren|infertile; genuine|authentic fake|forged; friendly hostile; generous mean|stingy; sharp blunt; steep
    gentle; steepest gentlest; calm stormy; sunny cloudy; northernmost southernmost; easternmost westernmost;
    top bottom; nearer farther|further; nearest farthest|furthest; closer farther|further; closest
    farthest|furthest; quieter louder; cheaper dearer; cheapest dearest; narrower wider; younger older; softer
    harder; safer riskier; safest riskiest
"""
"""Adjectives of which only one is true where something `is` so, and all other words are the same."""

PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "non-")
"""What turns an adjective or a verb into its opposite."""
NO_OPPOSITES = table("valuable flammable habitable famous different")
"""Words that a prefix does not turn into their opposite."""


def sides(lines: str) -> frozenset[tuple[str, str]]:
    """The pairs of a table: each word of one side with each of the other, both ways round."""
    rows = [[side.split("|") for side in line.split()] for line in lines.split(";")]
    pairs = {(one, other) for ones, others_ in rows for one in ones for other in others_}
    return frozenset(pairs | {(other, one) for one, other in pairs})


_OPPOSITES = sides(OPPOSITE_VERBS)
_PREDICATES = sides(OPPOSITE_PREDICATES)


def are_opposite_predicates(one: str, other: str) -> bool:
    """Whether what something is excludes the other: `safe` and `dangerous`, `soluble` and `insoluble`."""
    one, other = one.lower(), other.lower()
    return opposed(one, other) or (one, other) in _PREDICATES or is_reversed(one, other)


def is_reversed(one: str, other: str) -> bool:
    """Whether one of two words is the other behind a prefix that means `not`."""
    short, long = sorted((one.lower(), other.lower()), key=len)
    return short not in NO_OPPOSITES and any(prefix + short == long for prefix in PREFIXES)


def are_opposite_verbs(one: str, other: str) -> bool:
    """Whether the verbs that two phrases begin with are opposites. A Korean verb begins with its stem."""
    (mine, ending), (theirs, other_ending) = (
        (base_form(words.split()[0].lower()), words.split()[-1]) for words in (one, other)
    )
    return (mine, theirs) in _OPPOSITES or any(
        ending.startswith(verb) and other_ending.startswith(opposite)
        for verb, opposite in _OPPOSITES
        if verb >= "\uac00"
    )
