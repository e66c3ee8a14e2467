"""evaluate: textbook numbers by hand, trec_eval's values, topics as text, comparing two settings."""

from __future__ import annotations

import io
import math
import random
from pathlib import Path

import pytest

from indexer import Index, IndexOptions, Ranking, build_index, open_index
from indexer.evaluation import (
    Comparison,
    Evaluation,
    Run,
    Topic,
    TopicsError,
    compare,
    evaluate,
    f_beta,
    mean_of,
    measure,
    measure_run,
    randomisation_test,
    read_qrels,
    read_topics,
    topic_query,
    write_run,
)
from indexer.search.query import Or, Word
from tests.indexer.making import response, write_warc

PREFIX = "http://pages.example/"


# Textbook numbers


def test_300_relevant_among_600_retrieved_of_400_relevant_in_1000() -> None:
    retrieved = [str(number) for number in range(600)]
    relevant = {str(number): 1 for number in range(300, 700)}  # 300 to 599 are found, 600 to 699 are not
    found = measure(retrieved, relevant, pages=1000)
    assert found.precision == 300 / 600 == 0.5
    assert found.recall == 300 / 400 == 0.75
    assert found.fall_out == 300 / 600 == 0.5  # 300 wrong pages of the 600 that are not relevant
    assert found.f_beta == pytest.approx(2 * 0.5 * 0.75 / (0.5 + 0.75)) == pytest.approx(0.6)


def test_f_beta_with_beta_2_and_a_half() -> None:
    # (1 + 4) * 0.5 * 0.75 / (4 * 0.5 + 0.75) = 1.875 / 2.75
    assert f_beta(0.5, 0.75, 2) == pytest.approx(1.875 / 2.75) == pytest.approx(0.6818, abs=1e-4)
    assert f_beta(0.5, 0.75, 0.5) == pytest.approx(1.25 * 0.375 / (0.25 * 0.5 + 0.75))
    assert f_beta(0.5, 0.75, 0) == 0.5  # precision alone
    assert f_beta(0, 0) == 0


def test_measures_that_look_at_the_order() -> None:
    # relevant at ranks 1, 3 and 6, a fourth page is not found
    found = measure(list("abcdef"), {"a": 3, "c": 2, "f": 1, "z": 3, "b": 0}, pages=10)
    assert found.average_precision == pytest.approx((1 / 1 + 2 / 3 + 3 / 6) / 4)
    assert found.precision_at == {5: 2 / 5, 10: 3 / 10, 20: 3 / 20}
    ideal = 3 + 3 / math.log2(3) + 2 / math.log2(4)
    assert found.ndcg_at[3] == pytest.approx((3 + 2 / math.log2(4)) / ideal)
    assert found.ndcg_at[10] == pytest.approx(
        (3 + 2 / math.log2(4) + 1 / math.log2(7)) / (ideal + 1 / math.log2(5))
    )


def test_no_hits_no_relevant_pages_and_negative_grades_give_zeros_not_errors() -> None:
    for ranked, grades in (([], {"a": 1}), (["a"], {}), (["a"], {"a": -2}), ([], {})):
        assert set(measure(ranked, grades, pages=len(grades)).named().values()) <= {0.0, 1.0}
    assert measure(["a"], {"a": -2}, pages=1).fall_out == 1.0
    assert set(mean_of([]).named().values()) == {0.0}


# trec_eval


def read_run(path: Path) -> Run:
    """Return the ranked lists of a file in TREC form.

    As in trec_eval the score alone decides the order, and of equal scores the greater id comes first.
    """
    run: Run = {}
    for line in path.read_text().splitlines():
        topic, _, page, _, score, _ = line.split()
        run.setdefault(topic, []).append((page, float(score)))
    for ranked in run.values():
        ranked.sort(key=lambda row: row[0], reverse=True)
        ranked.sort(key=lambda row: -row[1])
    return run


@pytest.mark.parametrize("name, pages", [("cranfield", 1400), ("cf", 1239)])
def test_measures_equal_those_of_trec_eval(shared: Path, name: str, pages: int) -> None:
    folder = shared / "collections" / name
    found = measure_run(read_run(folder / "sample.run"), read_qrels(str(folder / "qrels.txt")), pages=pages)
    head, *rows = (line.split("\t") for line in (folder / "sample.measures.tsv").read_text().splitlines())
    ours = {"map": "average_precision", "ndcg_cut_10": "ndcg@10", "P_5": "p@5", "P_10": "p@10", "recall_30": "recall",
            "set_P": "precision", "set_recall": "recall", "set_F": "f_beta", "fallout": "fall_out"}  # fmt: skip
    assert len(rows) == len(found) + 1
    for topic, *values in rows:
        named = (mean_of(list(found.values())) if topic == "all" else found[topic]).named()
        for theirs, value in zip(head[1:], values, strict=True):
            if theirs in ours:
                assert named[ours[theirs]] == pytest.approx(float(value), abs=1e-6), (topic, theirs)


def test_measures_equal_those_of_ir_measures_on_random_runs() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    random_ = random.Random(5)
    pages = [f"p{number}" for number in range(40)]
    qrels = {
        str(topic): {
            page: random_.choice((-1, 0, 1, 2, 4)) for page in random_.sample(pages, random_.randint(1, 30))
        }
        for topic in range(60)
    }
    run = {
        topic: [
            (page, float(-rank)) for rank, page in enumerate(random_.sample(pages, random_.randint(1, 40)))
        ]
        for topic in qrels
    }
    names = {"AP": "average_precision", "P@5": "p@5", "P@10": "p@10", "nDCG@3": "ndcg@3", "nDCG@10": "ndcg@10",
             "SetP": "precision", "SetR": "recall", "SetF(beta=4.0)": "f_beta"}  # fmt: skip
    for judged_only in (False, True):
        ours = measure_run(run, qrels, pages=40, judged_only=judged_only, beta=2)
        given = {
            topic: {page: score for page, score in ranked if not judged_only or page in qrels[topic]}
            for topic, ranked in run.items()
        }
        for value in ir_measures.iter_calc([ir_measures.parse_measure(name) for name in names], qrels, given):
            assert ours[value.query_id].named()[names[str(value.measure)]] == pytest.approx(value.value)


# Files


def test_topics_as_lines_and_in_trec_form(tmp_path: Path) -> None:
    lines = tmp_path / "lines.tsv"
    lines.write_text("1\twhat is a finding aid?\n\n7b\tshelf\ttwo\n", encoding="utf-8")
    assert read_topics(str(lines)) == [Topic("1", "what is a finding aid?"), Topic("7b", "shelf\ttwo")]
    trec = tmp_path / "trec.txt"
    trec.write_text(
        "<top>\n<num> Number: 301\n<title> Topic: finding &amp;\n aids\n<desc> Description:\nlong\n</top>\n"
        "<top><num>302</num><title></title><desc>Description: a shelf</desc></top>\n"
    )
    assert read_topics(str(trec)) == [Topic("301", "finding & aids"), Topic("302", "a shelf")]


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0"?>\n<webtrack>\n<topic number="301" type="faceted">\n <query>finding &amp; aids</query>\n'
        '<description>long</description><subtopic number="1">x</subtopic></topic>\n'
        '<topic number="302"><query>a shelf</query></topic></webtrack>',
        '<top lang="en">\r\n<num>301</num>\r\n<EN-title> finding & aids </EN-title>\r\n<EN-desc>x</EN-desc>\r\n</top>'
        "<top>\r\n<num>302\r\n<EN-desc> a shelf\r\n</top>",
        "  <TOP>\n<NUM> Number:  301\n<TITLE> Topic: finding <i>&amp;</i> aids\n\n<NARR> n\n"
        "<top>\n<num> Number: 302\n<dom> Domain: x\n<title>a shelf\n</top>\n",
        "<topics><topic><identifier>301</identifier><title>finding &amp; aids</title></topic>\n"
        "<topic id='302'><title/><description>a shelf</description></topic></topics>",
    ],
)
def test_the_forms_that_trec_topics_have_been_written_in(tmp_path: Path, text: str) -> None:
    (tmp_path / "topics").write_text(text, encoding="utf-8", newline="")
    topics = read_topics(str(tmp_path / "topics"))
    assert topics == [Topic("301", "finding & aids"), Topic("302", "a shelf")]


def test_signs_of_a_topic_that_are_line_ends_only_to_some(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("q 1\ta\x0bb\u2028c\r\nq 2\t1 < 2\r\n", encoding="utf-8", newline="")
    assert read_topics(str(tmp_path / "topics")) == [Topic("q 1", "a\x0bb\u2028c"), Topic("q 2", "1 < 2")]


@pytest.mark.parametrize(
    "text",
    [
        "q1 0 http://a.example/ 2\nq1 Q0   b 0\r\n\nq2\t0\tb\t-1\n",
        "q1 http://a.example/ 2\nq1\tb\t0\nq2 b -1",
        "query-id\tcorpus-id\tscore\r\nq1\thttp://a.example/\t2\r\nq1\tb\t0\r\nq2\tb\t-1\r\n",
        "\ufeffq1 0 http://a.example/ 2.0\nq1 0 b +0\nq2 0 b -1.0\n",
    ],
)
def test_judgements_in_three_or_four_columns(tmp_path: Path, text: str) -> None:
    (tmp_path / "qrels").write_text(text, encoding="utf-8", newline="")
    expected = {"q1": {"http://a.example/": 2, "b": 0}, "q2": {"b": -1}}
    assert read_qrels(str(tmp_path / "qrels")) == expected


def test_ids_with_blanks_in_judgements(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 1\t0\ta page\t1\nq2 0 http://a.example/a page 3\n", encoding="utf-8")
    assert read_qrels(str(tmp_path / "qrels")) == {
        "q 1": {"a page": 1},
        "q2": {"http://a.example/a page": 3},
    }


@pytest.mark.parametrize(
    "read, text, problem",
    [
        (read_topics, "a topic without TAB\n", "line 1: expected the number of a topic, TAB"),
        (read_topics, "1\ta\n1\tb\n", "topic 1 stands there more than once"),
        (read_topics, "<top><title>x</top>", "topic without a number: expected <num>"),
        (read_topics, "", "there is no topic"),
        (read_qrels, "1 0 page 1\n1 page 1\n", "line 2: expected four columns"),
        (read_qrels, "1 0 page high\n", "line 1: expected four columns"),
        (read_qrels, f"1 0 page {'9' * 400}\n", "line 1: expected four columns"),
        (read_qrels, "1 page\n", "line 1: expected four columns"),
        (read_qrels, "1 page 1\n1 0 page 1\n", "line 2: expected four columns"),
        (read_qrels, "\n", "there is no judgement"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_its_line(
    tmp_path: Path, read: object, text: str, problem: str
) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(TopicsError, match=problem) as raised:
        read(str(path))  # type: ignore[operator]
    assert str(path) in str(raised.value)


def test_a_run_read_back_has_the_order_it_was_written_in(tmp_path: Path) -> None:
    # equal scores, and scores that are equal in the single precision of trec_eval
    run = {"1": [("a", 2.0), ("b", 2.0), ("z", 2.0 - 1e-12), ("c", 1.0)], "2": []}
    file = io.StringIO()
    write_run(file, run)
    first = file.getvalue().splitlines()[0]
    assert first == "1 Q0 a 1 2 findingaid"
    (tmp_path / "run").write_text(file.getvalue())
    again = read_run(tmp_path / "run")
    assert [page for page, _ in again["1"]] == ["a", "b", "z", "c"]
    assert all(
        abs(score - before) < 1e-5 for (_, score), (_, before) in zip(again["1"], run["1"], strict=True)
    )


def test_of_equal_scores_the_greater_id_comes_first_as_in_trec_eval(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n1 Q0 b 2 1 t\n1 Q0 c 3 2 t\n")
    assert [page for page, _ in read_run(tmp_path / "run")["1"]] == ["c", "b", "a"]


# An index on topics


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("evaluation")
    texts = {
        "heron": "the grey heron stands and waits",
        "gull": "the gull cries. heron heron",
        "ferry": "the ferry crosses the river",
        "a%20b": "river river river",
    }
    records = [
        response(PREFIX + name, f'<html lang="en"><title>-</title><p>{text}') for name, text in texts.items()
    ]
    build_index(
        [write_warc(folder / "a.warc.gz", records)], str(folder / "index"), options=IndexOptions(workers=1)
    )
    return open_index(str(folder / "index"))


def ids(evaluation: Evaluation, topic: str) -> list[str]:
    return [page for page, _ in evaluation.run[topic]]


def test_any_word_of_a_topic_will_do_and_stop_words_do_not_count(index: Index) -> None:
    topics = [
        Topic("1", "Where are the ferry AND the herons?"),
        Topic("2", "nothing here"),
        Topic("3", "unjudged"),
    ]
    judged = {"1": {"ferry": 1, "gull": 1, "a": 0}, "2": {"gull": 1}}
    found = evaluate(index, topics, judged, id_prefix=PREFIX)
    assert sorted(ids(found, "1")) == ["ferry", "gull", "heron"]  # not the page that has "the" alone
    assert list(found.topics) == ["1", "2"] and found.without_judgements == ("3",)
    assert found.topics["1"].recall == 1 and found.topics["1"].precision == pytest.approx(2 / 3)
    assert found.topics["1"].fall_out == pytest.approx(1 / 2)
    assert found.mean.recall == 0.5  # a topic without hits counts as 0
    assert found.finds_judged_pages


def test_a_word_that_stands_twice_in_a_topic_counts_twice(index: Index) -> None:
    assert topic_query("Heron heron, river").tree == Or(
        (Word("heron"), Word("heron"), Word("river")), implied=True
    )
    words_alone = Ranking(depth=0.0)
    once, twice = (
        evaluate(index, [Topic("1", text)], {}, ranking=words_alone).run["1"]
        for text in ("ferry heron", "ferry heron heron")
    )
    assert dict(twice)[PREFIX + "gull"] == pytest.approx(2 * dict(once)[PREFIX + "gull"])
    assert evaluate(index, [Topic("1", "?!")], {"1": {"a": 1}}).run["1"] == []


def test_pages_are_named_as_in_the_judgements_whatever_the_spelling_there(index: Index) -> None:
    topics = [Topic("1", "river")]
    for page, prefix in (
        ("a b", PREFIX),
        ("a%20b", PREFIX),
        ("HTTP://Pages.example:80/a%20b", ""),
        (PREFIX + "a%20b", ""),
    ):
        assert evaluate(index, topics, {"1": {page: 1}}, id_prefix=prefix).topics["1"].recall == 1, page
    lost = evaluate(index, topics, {"1": {"a b": 1}})
    assert not lost.finds_judged_pages and set(ids(lost, "1")) == {PREFIX + "a%20b", PREFIX + "ferry"}


def test_pages_without_judgement_can_be_left_out_of_the_lists(index: Index) -> None:
    found = evaluate(
        index, [Topic("1", "heron river")], {"1": {"ferry": 1}}, id_prefix=PREFIX, judged_only=True
    )
    assert ids(found, "1") == ["ferry"] and found.topics["1"].average_precision == 1


def test_other_settings_can_be_tried_without_changing_those_of_the_index(index: Index) -> None:
    before = index.ranking
    only_urls = Ranking(boost={name: 1.0 if name == "url" else 0.0 for name in before.boost}, depth=0.0)
    judged = {"1": {"heron": 1}}
    found = evaluate(index, [Topic("1", "heron")], judged, id_prefix=PREFIX, ranking=only_urls)
    assert ids(found, "1") == ["heron", "gull"] and dict(found.run["1"])["gull"] == 0
    assert index.ranking is before


# Two settings


def test_the_randomisation_test_comes_near_the_exact_chance() -> None:
    # of the 8 ways to set three signs, two have a sum as far from 0 as + + +
    assert randomisation_test([0.1, 0.2, 0.3]) == pytest.approx(2 / 8, abs=0.02)
    # 0.5 + 0.2 - 0.1 = 0.6: also reached by + + + (0.8), and by both with all signs turned
    assert randomisation_test([0.5, 0.2, -0.1, 0.0]) == pytest.approx(4 / 8, abs=0.02)
    assert randomisation_test([0.0, 0.0]) == randomisation_test([]) == 1.0
    assert randomisation_test([0.1] * 30) < 0.001
    assert randomisation_test([0.1, -0.3, 0.2]) == randomisation_test([0.1, -0.3, 0.2])


def test_two_settings_are_compared_topic_by_topic() -> None:
    def evaluation(*precisions: tuple[str, int]) -> Evaluation:
        measures = {
            topic: measure(["a"] * found + ["x"] * (4 - found), {"a": 1}, pages=9)
            for topic, found in precisions
        }
        return Evaluation(measures, mean_of(list(measures.values())), {}, (), True)

    compared = compare(evaluation(("1", 1), ("2", 4), ("3", 2)), evaluation(("1", 2), ("2", 3), ("4", 2)))
    one = compared["precision"]
    assert isinstance(one, Comparison)
    assert (one.first, one.second, one.difference, one.better, one.worse) == (0.625, 0.625, 0.0, 1, 1)
    assert one.p_value == 1.0
