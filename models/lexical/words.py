"""Tables of English function words and verbs, and words as the rules see them: with offsets, stem and case."""

import re
from dataclasses import dataclass
from functools import lru_cache

from ...state.text import tokens


def table(words: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(words.split())


def listed(words: str) -> list[str]:
    """The words of a table, in its order."""
    return words.split()


AUXILIARIES = table(
    """is are was were am be been being has have had do does did can could will would shall should may might must
    isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't can't couldn't won't wouldn't cannot"""
)
PREPOSITIONS = table(
    """in on at by from to of for with into onto near under over between among through across against during since
    until till before after about around as within outside inside along off per toward towards via behind beside
    beyond throughout upon without despite like circa"""
)
PRONOUNS = table("it he she they this that these those its his her their him them i we you who which there one")
ARTICLES = table("a an the its his her their this these those")
CONJUNCTIONS = table("and but while whereas although though because when where which who whose whom so or nor if than")
NEGATIONS = table(
    """not never no cannot without neither nor isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't
    can't couldn't won't wouldn't nobody nothing none"""
)
HEDGES_ABOUT = table("about around approximately roughly circa nearly almost some estimated ca approx close")
HEDGES = HEDGES_ABOUT | table("over under more less fewer than least most up")
HEDGES_OVER = table("over above exceeding")
HEDGES_UNDER = table("under below")
ADVERBS = table(
    """also now still then today currently originally officially first finally later eventually soon initially once
    only just even already again mainly mostly widely best very well often usually commonly largely partly
    together there here however ever always"""
)

NOT_PASTS = table("need seed feed speed breed indeed exceed proceed succeed shed sled hundred sacred red bed naked")

IRREGULAR_PASTS = dict(
    pair.split(":")
    for pair in listed(
        """became:become began:begin won:win wrote:write made:make took:take gave:give went:go came:come
    saw:see knew:know got:get found:find held:hold led:lead left:leave lost:lose met:meet ran:run said:say sent:send
    spent:spend stood:stand taught:teach told:tell thought:think brought:bring bought:buy built:build broke:break
    chose:choose drew:draw drove:drive fell:fall felt:feel flew:fly grew:grow kept:keep lay:lie paid:pay rose:rise
    sang:sing sank:sink sat:sit shot:shoot sold:sell spoke:speak struck:strike swam:swim threw:throw wore:wear
    written:write born:bear given:give taken:take known:know chosen:choose drawn:draw broken:break spoken:speak
    made:make sung:sing grown:grow seen:see died:die lied:lie tied:tie begun:begin beaten:beat beat:beat cut:cut set:set put:put hit:hit
    fought:fight caught:catch had:have did:do underwent:undergo withdrew:withdraw overthrew:overthrow swept:sweep
    shown:show sought:seek laid:lay driven:drive fallen:fall hidden:hide hung:hang lent:lend rode:ride sworn:swear
    arose:arise awoke:awake bore:bear forgot:forget froze:freeze shook:shake stole:steal tore:tear understood:understand
    undertook:undertake overtook:overtake spun:spin split:split spread:spread"""
    )
)
"""Past forms that no rule finds, and their base forms."""

PRESENT_VERBS = table(
    """stand lie sit contain cover measure weigh flow run rise reach cross connect belong live consist include hold
    comprise border span link serve occur orbit begin end open close produce speak use feature follow remain become
    make take give come go know show play work teach mean happen form store carry attract receive host house own
    lead move turn boil freeze melt travel last cost eat feed grow breed weave burn fall hang extend stretch drain
    separate divide join face overlook separate tell write describe depict portray support see get win lose beat
    rank represent govern rule set stay need want help require involve cause prevent protect absorb emit release
    convert pump supply filter hatch lay nest fly swim dive sleep hunt earn employ export import teach train meet join love hate like kill drown visit beat call name create invent discover"""
)
"""Base forms of verbs that are common in the present tense. A past form is known by its ending or the table above."""

# Words that name the same relation. The first of a line stands for the others.
SAME_RELATION = """
complete completion completed finish finished finishing
begin began begun start started beginning commence commenced
born birth bear
die died death dies dead
build built construct construction constructed erect erected building
write wrote written author authored writer writes penned
design designed architect designer designs
invent invented inventor invention
discover discovered discovery discoverer
compose composed composer composition
paint painted painter painting
direct directed director directs
found founded founder foundation established establish
locate located situated stands stand lies lie location sits
tall height high
long length
wide width
deep depth
weigh weighs weight mass
open opened opening opens inaugurated
release released releases
publish published publication
win won winner wins victory receive received award awarded
flow flows empties drains
people inhabitants population residents
marry married marriage wed
movie film
author novelist
country nation state
area surface covers
"""


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """What a word is counted as: its relation if it names one, otherwise its stem; empty for a function word."""
    plain = word.casefold().replace("’", "'").removesuffix("'s")
    if plain in _RELATION_OF:
        return _RELATION_OF[plain]
    if plain in AUXILIARIES or plain in NEGATIONS or plain in HEDGES:
        return ""
    base = IRREGULAR_PASTS.get(plain, plain)
    return _RELATION_OF.get(base) or "".join(tokens(base))


_RELATION_OF = {word: line.split()[0] for line in SAME_RELATION.strip().splitlines()[::-1] for word in line.split()}
RELATION_OF_TOKEN = {
    "".join(tokens(word)): f"={stem(word)}"
    for word in [*_RELATION_OF, *IRREGULAR_PASTS, *IRREGULAR_PASTS.values()]
    if tokens(word)
}
"""For a search token, what stands for its relation; marked, so that it is no search token itself."""


def stems(words: str) -> frozenset[str]:
    """What the words of a table are counted as."""
    return frozenset(map(stem, words.split()))


@dataclass(frozen=True)
class Word:
    """A word of a text with its offsets there."""

    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        return self.text.lower().replace("’", "'")

    @property
    def stem(self) -> str:
        return stem(self.text)

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper()


_WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+(?:['’.][^\W_]+)*")


def words(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """The words of text[start:end]; a compound with a hyphen is several."""
    stop = len(text) if end is None else end
    return [Word(found.group(), *found.span()) for found in _WORD.finditer(text, start, stop)]


def is_past(word: str) -> bool:
    """Whether a lower-case word looks like a past tense or participle."""
    return word in IRREGULAR_PASTS or (len(word) > 3 and word.endswith("ed") and word not in NOT_PASTS)


def is_present(word: str) -> bool:
    """Whether a lower-case word is a common verb in the third person or, like `stand`, in the plural."""
    bases = {word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ies") + "y"}
    return bool(bases & PRESENT_VERBS)


def is_verb(word: str) -> bool:
    return word in AUXILIARIES or is_past(word) or is_present(word)


def base_form(verb: str) -> str:
    """The base form of a verb, by rule: `completed` gives `complete`, `stopped` gives `stop`."""
    if verb in IRREGULAR_PASTS:
        return IRREGULAR_PASTS[verb]
    if verb.endswith("ied") or verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith("ed") and len(verb) > 4:
        return _undo_ed(verb[:-2])
    for base in (verb.removesuffix("s"), verb.removesuffix("es")):
        if base in PRESENT_VERBS:
            return base
    return verb.removesuffix("s") if not verb.endswith("ss") else verb


SILENT_E = (
    "c",
    "v",
    "s",
    "z",
    "u",
    "at",
    "it",
    "et",
    "ot",
    "ut",
    "ir",
    "ur",
    "or",
    "as",
    "uc",
    "dg",
    "ng",
    "iz",
    "ag",
    "id",
    "ud",
    "od",
    "ib",
    "in",
    "ap",
    "os",
    "ok",
    "am",
    "ar",
    "rg",
)
NO_SILENT_E = (
    "ss",
    "visit",
    "edit",
    "limit",
    "credit",
    "exhibit",
    "inherit",
    "inhabit",
    "benefit",
    "market",
    "target",
    "budget",
    "orbit",
    "train",
    "contain",
    "remain",
    "obtain",
    "attain",
    "maintain",
    "gain",
    "explain",
    "join",
    "begin",
    "long",
    "bring",
    "hang",
    "belong",
    "report",
    "monitor",
    "honor",
    "favor",
    "author",
    "anchor",
    "sponsor",
    "harbor",
    "treat",
    "repeat",
    "defeat",
    "seat",
    "heat",
    "beat",
    "float",
    "meet",
    "greet",
    "root",
    "shoot",
    "aid",
    "paid",
    "raid",
    "appear",
    "clear",
    "bear",
    "fear",
    "hear",
    "wear",
    "star",
    "claim",
    "pass",
    "ruin",
    "coin",
    "loot",
    "boot",
    "program",
    "suit",
    "recruit",
    "audit",
    "deposit",
    "interpret",
    "poet",
    "debut",
    "avoid",
    "void",
    "reclaim",
    "exclaim",
    "steam",
    "dream",
    "team",
    "cook",
    "look",
    "book",
    "soak",
    "hook",
    "crown",
    "occur",
    "refer",
    "murder",
    "attribut"[:0] or "speed",
)


def _undo_ed(root: str) -> str:
    if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lszaeo":
        return root[:-1]
    if root.endswith(NO_SILENT_E):
        return root
    return (
        root + "e"
        if root.endswith(SILENT_E) or (len(root) > 2 and root[-1] == "l" and root[-2] in "bcdfgptk")
        else root
    )
