"""Agreement: what counts as the same, as a conflict, and as neither."""

import pytest

from errata.models.rules import agreement, queries
from errata.models.tasks.correction import AgreementInput

TOWER = "Eiffel Tower"


def label(text: str, evidence: str, title: str = "", query: str = "", question: str = "") -> str:
    task_input: AgreementInput = {
        "text": text,
        "question": question,
        "query": query or text,
        "evidence": evidence,
        "title": title,
    }
    return agreement(task_input).label


CASES = {
    "entailment": [
        # precision: what is coarser is still right
        ("The Eiffel Tower was completed in 1889.", "The Eiffel Tower was completed on 31 March 1889.", TOWER),
        ("The Eiffel Tower was completed in March 1889.", "The tower was finished on March 31, 1889.", TOWER),
        ("The show was cancelled in the 1990s.", "The show was cancelled in 1994.", "The show"),
        ("The church was built in the 19th century.", "The church was built in 1843.", "The church"),
        ("The Eiffel Tower is about 330 m tall.", "The Eiffel Tower is 330.2 metres tall.", TOWER),
        ("The Eiffel Tower is more than 300 metres tall.", "The Eiffel Tower is 330 metres tall.", TOWER),
        ("Lyon has nearly 520,000 inhabitants.", "Lyon has 519,127 inhabitants.", "Lyon"),
        # units and ways to write a number
        ("The Eiffel Tower is 330 metres tall.", "The Eiffel Tower is 1,083 feet tall.", TOWER),
        ("The series has nine seasons.", "The series has 9 seasons.", "The series"),
        ("The city has 2.1 million inhabitants.", "The city has 2,102,650 inhabitants.", "The city"),
        ("Mars is the fourth planet from the Sun.", "Mars is the 4th planet from the Sun.", "Mars"),
        ("Oxygen makes up 21% of the air.", "Oxygen makes up about 21 percent of the air.", "Oxygen"),
        # places of several sizes
        ("The Eiffel Tower stands in France.", "The Eiffel Tower stands in Paris.", TOWER),
        ("The Eiffel Tower stands in Paris.", "It stands on the Champ de Mars in Paris, France.", TOWER),
        # names
        ("Einstein was born in Ulm.", "Albert Einstein was born in Ulm.", "Albert Einstein"),
        ("Bell was born in the US.", "Bell was born in the United States.", "Bell"),
        ("William Shakespeare wrote Hamlet.", "Hamlet was written by William Shakespeare.", "Hamlet"),
        ("Canberra is the capital of Australia.", "The capital of Australia is Canberra.", "Australia"),
        # lifespans
        ("Albert Einstein died in 1955.", "Albert Einstein (14 March 1879 – 18 April 1955) was a physicist.", ""),
    ],
    "contradiction": [
        # nearly the same number, written with a precision that leaves no doubt
        ("The tower is 324 metres tall.", "The tower is 330 metres tall.", "The tower"),
        ("Water boils at 90 degrees Celsius.", "Water boils at about 100 degrees Celsius.", "Water"),
        # what one page is about may be the right answer to a question about another
        ("Hamlet was written by Charles Dickens.", "William Shakespeare wrote Hamlet.", "William Shakespeare"),
        ("The Eiffel Tower was completed in 1899.", "The Eiffel Tower was completed on 31 March 1889.", TOWER),
        ("The Eiffel Tower was completed in May 1889.", "The tower was finished on 31 March 1889.", TOWER),
        ("The show was cancelled in the 1980s.", "The show was cancelled in 1994.", "The show"),
        ("Albert Einstein died in 1945.", "Albert Einstein (14 March 1879 – 18 April 1955) was a physicist.", ""),
        ("The Eiffel Tower is about 430 m tall.", "The Eiffel Tower is 330 metres tall.", TOWER),
        ("The Eiffel Tower is 250 metres tall.", "The Eiffel Tower is 1,083 feet tall.", TOWER),
        ("The Eiffel Tower is more than 400 metres tall.", "The Eiffel Tower is 330 metres tall.", TOWER),
        ("The series has ten seasons.", "The series has nine seasons.", "The series"),
        ("Mars is the third planet from the Sun.", "Mars is the fourth planet from the Sun.", "Mars"),
        ("Oxygen makes up 31% of the air.", "Oxygen makes up about 21 percent of the air.", "Oxygen"),
        ("The film cost $200 million.", "The film cost 120 million dollars.", "The film"),
        ("The Eiffel Tower stands in Lyon.", "It stands on the Champ de Mars in Paris, France.", TOWER),
        ("The Eiffel Tower stands in Germany.", "It stands in Paris.", TOWER),
        ("The tower was designed by Antoni Gaudí.", "The tower was designed by Stephen Sauvestre.", "The tower"),
        ("Christopher Marlowe wrote Hamlet.", "Hamlet was written by William Shakespeare.", "Hamlet"),
        ("Hamlet was written by Christopher Marlowe.", "William Shakespeare wrote Hamlet.", "Hamlet"),
        ("The capital of Australia is Sydney.", "Canberra is the capital of Australia.", "Australia"),
        ("Sydney is the capital of Australia.", "The capital of Australia is Canberra.", "Australia"),
        (
            "Jupiter is the smallest planet in the Solar System.",
            "Jupiter is the largest planet in the Solar System.",
            "",
        ),
        ("The river flows north.", "The river flows south.", "The river"),
        ("Marie Curie was a German physicist.", "Marie Curie was a Polish and French physicist.", "Marie Curie"),
        ("Penguins can fly.", "Penguins cannot fly.", "Penguin"),
        ("The bridge was never finished.", "The bridge was finished.", "The bridge"),
        ("Gold is attacked by most acids.", "Gold is not attacked by most acids.", "Gold"),
    ],
    "neutral": [
        # where the evidence says so of less
        ("Gold does not rust.", "Gold does not rust in air.", "Gold"),
        # another of the same name
        (
            "World War I was a global war that lasted from 1914 to 1918.",
            "World War II was a global war that lasted from 1939 to 1945.",
            "World War II",
        ),
        # other events of the same thing
        ("Construction of the Eiffel Tower began in 1887.", "The Eiffel Tower was completed in 1889.", TOWER),
        ("The Eiffel Tower was completed in 1889.", "The Eiffel Tower opened on 15 May 1890.", TOWER),
        ("Albert Einstein was born in 1879.", "Albert Einstein died in 1955.", "Albert Einstein"),
        ("France won the World Cup in 1998.", "France won the World Cup in 2018.", "France"),
        ("Darwin published On the Origin of Species in 1859.", "Darwin published The Descent of Man in 1871.", ""),
        # other things
        ("The Eiffel Tower is 330 metres tall.", "The Chrysler Building is 319 metres tall.", "Chrysler Building"),
        ("The Eiffel Tower was completed in 1889.", "The Tokyo Tower was completed in 1958.", "Tokyo Tower"),
        ("The fifth season has 24 episodes.", "The fourth season has 14 episodes.", "The series"),
        # other sizes of the same thing
        ("The tower is 330 metres tall.", "The tower is 125 metres wide.", "The tower"),
        ("The series has nine seasons.", "The series has 201 episodes.", "The series"),
        # finer than the evidence
        ("The Eiffel Tower was completed on 31 March 1889.", "The Eiffel Tower was completed in 1889.", TOWER),
        ("The Eiffel Tower stands in Paris.", "The Eiffel Tower stands in France.", TOWER),
        # relations with many fillers
        ("Bell worked in Boston.", "Bell worked in Washington.", "Alexander Graham Bell"),
        ("Anna played for Arsenal.", "Anna played for Chelsea.", "Anna"),
        ("The United States was led by Obama.", "Bush was the president of the United States.", ""),
        # nothing to compare
        ("The tower is beautiful.", "The tower was completed in 1889.", "The tower"),
        ("The tower was completed in 1889.", "", ""),
        ("", "The tower was completed in 1889.", ""),
        ("Hello!", "The tower was completed in 1889.", ""),
        # the same number, but for its precision
        ("The mountain is 8,851 metres high.", "The mountain is 8,848.86 metres high.", "The mountain"),
    ],
}


@pytest.mark.parametrize(
    ("text", "evidence", "title", "expected"),
    [(*case, expected) for expected, cases in CASES.items() for case in cases],
)
def test_english(text: str, evidence: str, title: str, expected: str) -> None:
    assert label(text, evidence, title) == expected


@pytest.mark.parametrize(
    ("text", "evidence", "expected"),
    [
        ("埃菲尔铁塔于1899年建成。", "埃菲尔铁塔于1889年3月31日建成，高330米。", "contradiction"),
        ("埃菲尔铁塔于1889年建成。", "埃菲尔铁塔于1889年3月31日建成，高330米。", "entailment"),
        ("埃菲尔铁塔高230米。", "埃菲尔铁塔于1889年建成，高330米。", "contradiction"),
        ("埃菲尔铁塔高约330米。", "埃菲尔铁塔于1889年建成，高330米。", "entailment"),
        ("埃菲尔铁塔位于里昂。", "埃菲尔铁塔位于巴黎。", "contradiction"),
        ("埃菲尔铁塔位于法国。", "埃菲尔铁塔位于巴黎。", "entailment"),
        ("首尔有900万人口。", "首尔有9000000人口。", "entailment"),
        ("埃菲尔铁塔于1887年动工。", "埃菲尔铁塔于1889年建成。", "neutral"),
        ("에펠탑은 1899년에 완공되었다.", "에펠탑은 1889년 3월 31일에 완공되었다.", "contradiction"),
        ("에펠탑은 1889년에 완공되었다.", "에펠탑은 1889년 3월 31일에 완공되었다.", "entailment"),
        ("에펠탑은 높이가 230미터이다.", "에펠탑은 높이가 330미터이다.", "contradiction"),
        ("에펠탑은 높이가 330미터이다.", "에펠탑은 높이가 330미터이다.", "entailment"),
        ("서울의 인구는 500만 명이다.", "서울의 인구는 940만 명이다.", "contradiction"),
        ("에펠탑은 런던에 있다.", "에펠탑은 파리에 있다.", "contradiction"),
        ("에펠탑은 1887년에 착공되었다.", "에펠탑은 1889년에 완공되었다.", "neutral"),
    ],
)
def test_chinese_and_korean(text: str, evidence: str, expected: str) -> None:
    assert label(text, evidence) == expected


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("松湖茶馆是一家旧茶馆。", "松湖茶馆是一家新茶馆，有三层。"),
        ("松湖茶馆上午九点开门。", "松湖茶馆下午九点开门。"),
        ("松湖茶馆在2003年倒闭。", "松湖茶馆在2003年开业。"),
        ("松湖茶馆在2003年开业。", "松湖茶馆没有在2003年开业。"),
        ("李河打败了王山。", "王山打败了李河。"),
        ("桥的东边有一座塔。", "桥的西边有一座塔，东边有一片树林。"),
        ("물안개 찻집은 오전 9시에 문을 연다.", "물안개 찻집은 오후 9시에 문을 연다."),
        ("물안개 찻집은 첫째 일요일에 쉰다.", "물안개 찻집은 셋째 일요일에 쉰다."),
        ("물안개 찻집은 2003년에 문을 열었다.", "물안개 찻집은 1998년에 문을 열었다. 2003년에는 지붕을 고쳤다."),
        ("물안개 찻집은 커피를 판다.", "물안개 찻집은 커피를 팔지 않는다."),
        ("다리의 동쪽에는 탑이 있다.", "다리의 서쪽에는 탑이 있고 동쪽에는 숲이 있다."),
        ("철수가 영희를 이겼다.", "철수를 영희가 이겼다."),
        ("霧の橋は2003年に開通した。", "霧の橋は2003年に閉鎖された。"),
    ],
)
def test_chinese_and_korean_are_supported_only_by_the_same_words(text: str, evidence: str) -> None:
    assert label(text, evidence) != "entailment"


BOTH = "The Eiffel Tower was completed in 1899 and stands in Paris."
EVIDENCE = "The Eiffel Tower was completed on 31 March 1889. It stands on the Champ de Mars in Paris, France."


def test_judges_only_the_clause_that_the_query_is_about() -> None:
    assert label(BOTH, EVIDENCE, TOWER, query="When was the Eiffel Tower completed?") == "contradiction"
    assert label(BOTH, EVIDENCE, TOWER, query="Where does the Eiffel Tower stand?") == "entailment"


def test_reports_what_each_side_says() -> None:
    task_input: AgreementInput = {
        "text": BOTH,
        "question": "",
        "query": "When was the Eiffel Tower completed?",
        "evidence": EVIDENCE,
        "title": TOWER,
    }
    found = agreement(task_input)
    assert found.text_says == "The Eiffel Tower was completed in 1899"
    assert found.evidence_says == "The Eiffel Tower was completed on 31 March 1889."


def test_takes_the_subject_of_a_pronoun_from_the_question() -> None:
    question = "When was the Eiffel Tower completed?"
    evidence = "The Eiffel Tower was completed in 1889."
    assert label("It was completed in 1899.", evidence, TOWER, question, question) == "contradiction"


def test_takes_the_subject_of_a_pronoun_from_the_sentence_before() -> None:
    text = "Marie Curie was a physicist. She was born in Kraków in 1867."
    assert (
        label(text, "Marie Curie was born in Warsaw.", "Marie Curie", "Where was Marie Curie born?") == "contradiction"
    )


NOVEL = "Pride and Prejudice is a novel by the English author Jane Austen."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jane Austen wrote Pride and Prejudice.", "entailment"),
        ("Pride and Prejudice was written by Jane Austen.", "entailment"),
        ("Charlotte Brontë wrote Pride and Prejudice.", "contradiction"),
        ("Jane Austen painted Pride and Prejudice.", "neutral"),
        ("Jane Austen wrote the first chapter of Pride and Prejudice.", "neutral"),
        ("Jane Austen wrote a review of Pride and Prejudice.", "neutral"),
        ("Jane Austen and Charlotte Brontë wrote Pride and Prejudice.", "neutral"),
        ("Jane Austen wrote Pride and Prejudice in 1790.", "neutral"),
    ],
)
def test_who_wrote_what_is_a_novel_by_somebody(text: str, expected: str) -> None:
    assert label(text, NOVEL, "Pride and Prejudice", query="Who wrote Pride and Prejudice?") == expected


@pytest.mark.parametrize(("born", "expected"), [("Krakow", "contradiction"), ("Lodz", "entailment")])
def test_places_are_known_without_the_marks_of_their_names(born: str, expected: str) -> None:
    evidence = "Artur Rubinstein was born in Łódź on 28 January 1887."
    query = "Where was Artur Rubinstein born?"
    assert label(f"Artur Rubinstein was born in {born}.", evidence, "Artur Rubinstein", query=query) == expected


def test_things_develop_from_others_and_people_develop_them() -> None:
    asked = {
        text: queries({"text": text, "question": ""}).queries[0]
        for text in ("Chess developed from chaturanga.", "Turing developed a machine.")
    }
    assert asked["Chess developed from chaturanga."] == "What developed from chaturanga?"
    assert asked["Turing developed a machine."] == "Who developed a machine?"


def test_a_value_that_the_evidence_also_gives_for_it_is_no_contradiction() -> None:
    evidence = "The bridge was opened in 1932 for trains and was opened in 1934 for cars."
    assert label("The bridge was opened in 1934.", evidence, "The bridge") != "contradiction"


@pytest.mark.parametrize(
    ("evidence", "text"),
    [
        ("The ferry fares rose by 4 percent in 2021.", "The ferry fares fell by 4 percent in 2021."),
        ("Halden beat Moss in the final in 2016.", "Halden lost the final to Moss in 2016."),
        ("Kestrel bought Lomond in 2018.", "Kestrel sold Lomond in 2018."),
        ("The mill opened in 1901 in Leeds.", "The mill closed in 1901 in Leeds."),
        ("The library opened after the theatre in 1998.", "The library opened before the theatre in 1998."),
        ("More than 300 people saw the play in Ghent.", "Fewer than 300 people saw the play in Ghent."),
        ("The ride is safe for children over 9 years.", "The ride is safe for children under 9 years."),
        ("A guest may borrow 2 books a week.", "A guest may borrow 2 books a day."),
        ("The price fell from 90 euros to 70 euros.", "The price fell from 70 euros to 90 euros."),
        ("All 7 judges voted for the plan.", "All 7 judges voted against the plan."),
        ("Berit Lund left Kestrel in 1994.", "Berit Lund joined Kestrel in 1994."),
    ],
)
def test_a_statement_with_one_relation_turned_round_is_never_borne_out(evidence: str, text: str) -> None:
    asked = [text, *queries({"text": text, "question": ""}).queries]
    for query in asked:
        task_input: AgreementInput = {"text": text, "question": "", "query": query, "evidence": evidence, "title": ""}
        assert agreement(task_input).label != "entailment", query
    same: AgreementInput = {"text": evidence, "question": "", "query": evidence, "evidence": evidence, "title": ""}
    assert agreement(same).label == "entailment"
