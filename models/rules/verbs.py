"""Verbs of English: which words are verbs, and what their base form is."""

from .tables import listed, table

AUXILIARIES = table(
    """is are was were am be been being has have had do does did can could will would shall should may might must isn't
    aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't can't couldn't won't wouldn't cannot"""
)
NOT_PASTS = table("need seed feed speed breed indeed exceed proceed succeed shed sled hundred sacred red bed naked")

IRREGULAR_PASTS = dict(
    pair.split(":")
    for pair in listed(
        """became:become began:begin won:win wrote:write made:make took:take gave:give went:go came:come saw:see
    knew:know got:get found:find held:hold led:lead left:leave lost:lose met:meet ran:run said:say sent:send spent:spend
    stood:stand taught:teach told:tell thought:think brought:bring bought:buy built:build broke:break chose:choose
    drew:draw drove:drive fell:fall felt:feel flew:fly grew:grow kept:keep lay:lie paid:pay rose:rise sang:sing
    sank:sink sat:sit shot:shoot sold:sell spoke:speak struck:strike swam:swim threw:throw wore:wear written:write
    born:bear given:give taken:take known:know chosen:choose drawn:draw broken:break spoken:speak made:make
    sung:sing grown:grow seen:see died:die lied:lie tied:tie begun:begin beaten:beat beat:beat cut:cut set:set
    put:put hit:hit fought:fight caught:catch had:have did:do underwent:undergo withdrew:withdraw
    overthrew:overthrow swept:sweep shown:show sought:seek laid:lay driven:drive fallen:fall hidden:hide hung:hang
    lent:lend rode:ride sworn:swear arose:arise awoke:awake bore:bear forgot:forget froze:freeze shook:shake
    stole:steal tore:tear understood:understand undertook:undertake overtook:overtake spun:spin split:split
    spread:spread"""
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
    convert pump supply filter hatch lay nest fly swim dive sleep hunt earn employ export import teach train meet
    love hate like kill drown visit call name create invent discover"""
)
"""Base forms of verbs that are common in the present tense. A past form is known by its ending or the table above."""


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


SILENT_E = listed(
    "c v s z u at it et ot ut ir ur or as dg ng iz ag id ud od ib in ap os ok am ar rg bl cl fl gl kl pl tl"
)
"""Endings after which a base form usually has an `e`: `danc`, `complet`, `stor`."""
NO_SILENT_E = listed(
    """ss visit edit limit credit exhibit inherit inhabit benefit market target budget orbit train contain remain
    obtain attain maintain gain explain join long bring hang belong report monitor honor favor author anchor sponsor
    harbor treat repeat defeat seat heat float meet greet root aid raid appear clear fear wear claim ruin coin boot
    program suit recruit audit deposit interpret debut avoid exclaim steam dream team cook look book soak hook crown
    occur refer murder"""
)
"""Endings of base forms that have none all the same."""


def _undo_ed(root: str) -> str:
    """The base form of what is left of a past form without its `ed`: `stopp`, `complet`, `visit`."""
    if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lszaeo":
        return root[:-1]
    if root.endswith(tuple(NO_SILENT_E)):
        return root
    return root + "e" if root.endswith(tuple(SILENT_E)) else root
