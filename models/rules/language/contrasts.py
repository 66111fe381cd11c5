"""Words of which only one can be true in one place: opposites, and families such as nationalities and colours."""

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
    open close; begin end; start end; begin finish; start finish; buy sell; build demolish; build destroy; join leave;
    enter leave; arrive depart; import export; love hate; raise lower; allow forbid; allow ban; gain lose; win lose;
    marry divorce; widen narrow; lengthen shorten; freeze melt; enlarge reduce; rise fall; grow shrink;
    increase decrease; accept reject; lend borrow; teach learn; succeed fail; precede follow; bear die;
    appear disappear; defend attack; protect harm;
    시작 끝; 열 닫; 오르 내리; 늘 줄; 이기 지; 태어나 죽; 많 적; 크 작; 높 낮; 길 짧; 있 없; 넓 좁; 빠르 느리"""
"""Verbs, and Korean adjectives, that cannot both be true of one thing at one time; Korean ones by their stems."""

_PAIRS = [tuple(pair.split()) for pair in OPPOSITE_VERBS.split(";")]
_OPPOSITES = frozenset(_PAIRS) | frozenset((other, one) for one, other in _PAIRS)


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
