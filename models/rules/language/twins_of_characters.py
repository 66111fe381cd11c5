"""Chinese and Korean sentences that are the same but for an opposite, or for two things that have changed places.

No dictionary says here where a Chinese word ends, so sentences are compared character by character.
"""

import re

from .contrasts import sides
from .twins import Difference

FEWEST_SHARED = 4
"""How many characters two sentences must have in common to be compared."""
OPPOSITES = sides("""
    上升|上涨|增加|增长|提高|升|涨|增 下降|下跌|减少|降低|降|跌|减; 最多|至多 最少|至少; 多于|超过|高于
    少于|不足|低于; 以上 以下; 以前|之前|前 以后|之后|后; 通过|批准|接受|同意|赞成|支持 否决|驳回|拒绝|反对;
    允许|准许 禁止; 合法 非法|违法; 成功 失败; 胜利|获胜|胜|赢 失败|落败|败|输; 开始 结束; 开放|开启|打开 关闭;
    购买|买入|买进|买 出售|卖出|售出|卖; 进口 出口; 加入 退出|离开; 建造|建成 拆除|摧毁; 大于 小于; 早于|先于
    晚于; 长于 短于; 安全 危险; 公开 秘密; 公立|公有 私立|私有; 雇用|聘用 解雇; 承认 否认; 出现 消失; 必须
    不必|不得; 易溶 难溶; 淡水 咸水|海水; 永久 临时; 真迹|真品 赝品|伪作; 有 没有; 是 不是; 会 不会; 能 不能;
    可以 不可以|不可; 曾 未曾; 已 未; 了解 不了解; 증가 감소; 상승 하락; 늘 줄; 올랐 내렸|떨어졌; 이상|초과
    이하|미만; 이전 이후; 전에 후에; 먼저 나중에; 최대 최소; 찬성 반대; 승인|가결|통과 거부|기각|부결; 허용
    금지; 합법 불법; 성공 실패; 승리 패배; 이겼 졌|패했; 수입 수출; 가입 탈퇴; 고용 해고; 시작 종료; 열렸 닫혔;
    개장 폐장; 개교 폐교; 샀 팔았; 매입|구입 매각|판매; 안전 위험; 크다 작다; 높다 낮다; 길다 짧다; 넓다 좁다;
    깊다 얕다; 많다 적다; 빠르다 느리다; 무겁다 가볍다; 무료 유료; 공립 사립; 있다 없다; 있었 없었; 인정 부인;
    설립|창립 해산; 건설|건립 철거; 도착 출발; 입학 졸업; 태어났 죽었|사망했
    """)
"""Words that cannot both be true where all others are the same."""
QUALITIES = sides("""
    大 小; 高 低|矮; 长 短; 宽 窄; 深 浅; 快 慢; 轻 重; 新 旧; 热 冷; 富 穷; 早 晚; 多 少; 贵 便宜; 强 弱; 厚
    薄
    """)
"""The same of Chinese qualities, where something is said to be so: the old bridge and the new one may both be high."""
_IS_SO = re.compile("[最更很较颇]$|比[^，。；]{1,12}$")
ONE_WAY = re.compile(
    "起诉|收购|并购|取代|接替|早于|晚于|先于|高于|低于|多于|少于|大于|小于|长于|短于|重于|统治|迁到|迁至|迁往|搬到|搬至|到|至|改为"
    "|变为|继承|创立|创建|属于|导致|引起|包含|包括|发明|比|卖给|借给|杀死|源于|任命|教过"
)
"""Chinese words whose two sides are not true both ways."""
BEATING = re.compile("击败|战胜|打败|淘汰")
DECIDED_ONCE = re.compile("决赛|选举")
_PARTICLE = re.compile(r"(.+?)(이|가|은|는|을|를|에서|에게|으로|로|보다)$")
ROLES = ("이 가 은 는", "을 를", "에서", "에게", "으로 로", "보다")
"""Particles that say the same of a word."""
SYMMETRIC = re.compile("만나|만났|결혼|싸우|싸웠|닮|방문|공격|이겼|꺾었|물리쳤|이긴|도왔|돕|사랑|좋아")
"""Korean verbs whose two sides may change places."""


def difference(claim: str, evidence: str) -> Difference | None:
    """What makes one of two sentences deny the other, if they are otherwise the same; None if nothing does."""
    claim, evidence = _unended(claim), _unended(evidence)
    first, last = _apart(claim, evidence)
    for mine, theirs in OPPOSITES | QUALITIES:
        if len(claim) - len(mine) != len(evidence) - len(theirs) or len(claim) - len(mine) < FEWEST_SHARED:
            continue
        start = claim.find(mine, max(len(claim) - last - len(mine), 0), first + len(mine))
        if start < 0 or claim[:start] + theirs + claim[start + len(mine) :] != evidence:
            continue
        if (mine, theirs) in OPPOSITES or _IS_SO.search(claim[:start]):
            return Difference((start, start + len(mine)), (start, start + len(theirs)))
    turned = _changed_places(claim[first : len(claim) - last], evidence[first : len(evidence) - last], claim)
    return Difference(None, None) if turned or _changed_roles(claim, evidence) else None


def is_same(claim: str, evidence: str) -> bool:
    """Whether two sentences are the same, but for the mark at the end."""
    return _unended(claim) == _unended(evidence)


def _unended(text: str) -> str:
    return text.rstrip(" 。.，,；;")


def _apart(mine: str, theirs: str) -> tuple[int, int]:
    """How many characters are the same at the beginning and at the end."""
    pairs = min(len(mine), len(theirs))
    first = next((i for i in range(pairs) if mine[i] != theirs[i]), pairs)
    last = next((i for i in range(pairs - first) if mine[-1 - i] != theirs[-1 - i]), pairs - first)
    return first, last


def _changed_places(mine: str, theirs: str, claim: str) -> bool:
    """Whether the first and the last of a part have changed places around a Chinese word that goes one way."""
    if len(mine) != len(theirs):
        return False
    for size in range(1, len(mine) // 2 + 1):
        for other_size in range(1, len(mine) - size):
            between = mine[size : len(mine) - other_size]
            if theirs == mine[len(mine) - other_size :] + between + mine[:size]:
                decided = BEATING.search(between) and DECIDED_ONCE.search(claim)
                return bool(ONE_WAY.search(between) or decided)
    return False


def _changed_roles(claim: str, evidence: str) -> bool:
    """Whether two Korean words have exchanged their particles."""
    mine, theirs = claim.split(), evidence.split()
    if len(mine) != len(theirs) or SYMMETRIC.search(claim):
        return False
    apart = [place for place in range(len(mine)) if mine[place] != theirs[place]]
    if len(apart) != len("AB"):
        return False
    (one, other), (their_one, their_other) = (
        [_PARTICLE.match(row[place]) for place in apart] for row in (mine, theirs)
    )
    if not (one and other and their_one and their_other):
        return False
    if (one[1], other[1]) != (their_other[1], their_one[1]):
        return False
    roles = [_role(match[2]) for match in (one, other)]
    return roles[0] != roles[1] and roles == [_role(match[2]) for match in (their_one, their_other)]


def _role(particle: str) -> str:
    return next(role for role in ROLES if particle in role.split())
