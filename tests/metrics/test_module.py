"""The modules of `evaluate`: lists, arrays and single rows give one score; wrong lists and options are named."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest

import vehbench_hf
from metric_examples import example, module
from vehbench_hf.metrics import METRICS, MetricInputError
from vehbench_hf.metrics.compute import compute


@pytest.mark.parametrize("value", [None, "A", b"A", 3, {"a": 1}, {"A", "B"}, frozenset("AB"), {"A": 1}.keys()])
def test_what_is_no_list_is_refused(value: Any) -> None:
    answers, rows = example("p4_tau")
    with pytest.raises(MetricInputError, match=r"predictions: expected a list with one entry a row"):
        compute("p4_tau", value, rows)
    with pytest.raises(MetricInputError, match=r"references: expected a list with one entry a row"):
        compute("p4_tau", answers, value)


def test_a_frame_is_refused_and_its_rows_are_read() -> None:
    pandas = pytest.importorskip("pandas")
    import pyarrow

    answers, rows = example("p4_tau")
    frame = pandas.DataFrame(rows)
    for columns in (frame, pyarrow.table({"a": [1]})):
        with pytest.raises(MetricInputError, match=r"references: expected a list .*; pass its rows"):
            module("p4_tau", predictions=answers, references=columns)
    assert module("p4_tau", predictions=answers, references=frame.to_dict("records"))["p4_tau"] == 1.0
    assert module("p4_tau", predictions=pandas.Series(answers), references=rows)["p4_tau"] == 1.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"convention": "paper"}, r"option convention: expected 'defined' or 'released', got 'paper'"),
        ({"p2_stop": "never"}, r"option p2_stop"),
    ],
)
def test_a_bad_option_is_named(options: dict[str, Any], words: str) -> None:
    answers, rows = example("p4_tau")
    with pytest.raises(MetricInputError, match=words):
        module("p4_tau", predictions=answers, references=rows, **options)


def test_a_missing_or_uneven_list_is_named() -> None:
    answers, rows = example("p4_tau")
    for passed, words in (
        ({"predictions": answers}, "references are missing"),
        ({"references": rows}, "predictions are missing"),
        ({}, "nothing to score"),
        ({"predictions": answers[:-1], "references": rows}, "3 predictions and 4 references"),
        ({"predictions": [], "references": []}, "no rows|nothing"),
    ):
        with pytest.raises(MetricInputError, match=words):
            module("p4_tau", **passed)
    with pytest.raises(MetricInputError, match=r"no metric 'tau'; expected one of p1_composite"):
        vehbench_hf.load_metric("tau")


def test_arrays_and_added_rows_give_the_same_score() -> None:
    answers, rows = example("p4_tau")
    expected = compute("p4_tau", answers, rows)
    arrays = {"predictions": np.array(answers), "references": np.array(rows, dtype=object)}
    assert module("p4_tau", **arrays) == expected
    metric = vehbench_hf.load_metric("p4_tau")
    for names in (("prediction", "reference"), ("predictions", "references")):
        for pair in zip(answers, rows, strict=True):
            metric.add(**dict(zip(names, pair, strict=True)))
        assert metric.compute() == expected
    for part in (slice(2), slice(2, None)):
        metric.add_batch(predictions=answers[part], references=rows[part])
    assert metric.compute() == expected
    designs, rows = example("p2_ratio")
    numbers = [{name: np.float64(value) for name, value in design.items()} for design in designs]
    assert module("p2_ratio", predictions=numbers, references=rows) == compute("p2_ratio", designs, rows)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"prediction": "A"}, "reference: expected one to add, got nothing"),
        ({"references": {}}, "prediction: expected one to add, got nothing"),
        ({"prediction": "A", "predictions": "A", "reference": {}}, "got one as prediction and one as predictions"),
    ],
)
def test_half_a_pair_is_not_added(given: dict[str, Any], words: str) -> None:
    metric = vehbench_hf.load_metric("p4_tau")
    with pytest.raises(MetricInputError, match=words):
        metric.add(**given)
    answers, rows = example("p4_tau")
    metric.add(prediction=answers[0], reference=rows[0])
    assert metric.compute()["n"] == 1


@pytest.mark.parametrize("name", METRICS)
def test_combined_metrics_keep_every_result(name: str) -> None:
    answers, rows = example(name)
    combined = evaluate.combine([vehbench_hf.load_metric(name), vehbench_hf.load_metric(name)])
    whole = combined.compute(predictions=answers, references=rows)
    assert whole[f"{name}_0_{name}"] == whole[f"{name}_1_{name}"] == 1.0
    for answer, row in zip(answers, rows, strict=True):
        combined.add(prediction=answer, reference=row)
    assert combined.compute() == whole
    for answer, row in zip(answers, rows, strict=True):
        combined.add(predictions=answer, references=row)
    assert combined.compute() == whole
    mixed = evaluate.combine({"m": vehbench_hf.load_metric(name)}, force_prefix=True)
    assert mixed.compute(predictions=answers, references=rows)[f"m_{name}"] == 1.0


def test_a_metric_needs_no_folder_to_write_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")  # a folder below a file can be made by nobody, root included
    places = dict.fromkeys(("HOME", "HF_HOME", "XDG_CACHE_HOME", "VEHBENCH_HOME"), str(tmp_path / "file" / "x"))
    code = (
        "import vehbench_hf\n"
        "from vehbench_hf.metrics.example import example\n"
        "for name in vehbench_hf.metrics.METRICS:\n"
        "    answers, rows = example(name)\n"
        "    print(vehbench_hf.load_metric(name).compute(predictions=answers, references=rows)[name])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **places}, capture_output=True, text=True)
    assert done.stdout.split() == ["1.0"] * len(METRICS), done.stderr
