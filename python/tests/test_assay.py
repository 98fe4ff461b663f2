"""The package over the real command, which $ASSAY or the wheel brings.

What is tested are the promises of the package: it says what the command says, invents nothing, and hides no error.
"""

import csv
import io
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay import _command


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    """A trace of 2,000 requests for 83 objects, each with its size."""
    path = tmp_path_factory.mktemp("traces") / "requests.csv"
    rows = [f"{(step * step * 7 + step // 5) % 83},{100 + (step * step * 7 + step // 5) % 83}" for step in range(2000)]
    path.write_text("key,size\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def results(trace):
    return assay.run(traces=[trace], policies=["lru", "s3fifo"], capacities=["10%", 40])


def test_run_says_what_the_command_says(trace, results, tmp_path):
    words = ["--policy", "lru,s3fifo", "--capacity", "10%,40", "--out", str(tmp_path / "out"), "--quiet"]
    subprocess.run([assay.command_path(), "run", "--trace", str(trace), *words], check=True, stdout=subprocess.DEVNULL)
    rows = list(csv.DictReader((tmp_path / "out" / "results.csv").read_text().splitlines()))
    expected = {(row["policy"], row["capacity"]): int(row["hits"]) for row in rows}
    got = {(cell["policy"], str(cell["capacity"])): cell["counts"]["hits"] for cell in results.cells}
    assert got == expected
    assert len(got) == 4


def test_data_frames_keep_texts_and_numbers(results):
    pytest.importorskip("pandas")
    frame = results.to_pandas()
    assert len(frame) == 4
    assert set(frame["capacity_requested"]) == {"10%", "40"}
    assert frame["hits"].dtype.kind == "i"
    by_cell = {(cell["policy"], cell["capacity"]): cell["counts"]["hits"] for cell in results.cells}
    assert {(row.policy, row.capacity): row.hits for row in frame.itertuples()} == by_cell


def test_a_notebook_shows_the_report_in_a_frame_of_its_own(results):
    shown = results._repr_html_()
    assert shown.startswith("<iframe ") and shown.count("<") == 2, "no tag of the page may leave its frame"
    assert "lru" in repr(results) and "assay-" not in repr(results), "paths that are gone are left out"


def test_reports_stay_where_they_are_asked_for(trace, tmp_path):
    assay.curve([trace], "lru", points=5, out=tmp_path / "curve")
    assert {file.name for file in (tmp_path / "curve").iterdir()} >= {"curve.json", "curve.csv", "curve.html"}


def test_curves_rise(trace):
    curve = assay.curve([trace], ["lru"], points=5)
    ratios = [point["hitRatio"] for point in curve.curves[0]["points"]]
    assert ratios == sorted(ratios) and ratios[-1] > 0.9, "LRU is a stack algorithm"


def test_advice_tells_a_target_that_is_out_of_reach(trace):
    reached = assay.advise([trace], ["lru"], target_hit_ratio=0.5)
    assert reached.is_reached and len(reached.advice) == 1
    beyond = assay.advise([trace], ["lru"], target_hit_ratio=0.9999)
    assert not beyond.is_reached


def test_a_gate_fails_on_fewer_hits_and_is_no_exception(trace, results, tmp_path):
    (tmp_path / "baseline.json").write_text(json.dumps(results.document))
    assert assay.gate(tmp_path / "baseline.json", results).passed
    worse = assay.run(traces=[trace], policies=["lru", "s3fifo"], capacities=["10%", 40])
    worse.document["cells"][0]["counts"]["hits"] -= 50
    verdict = assay.gate(tmp_path / "baseline.json", worse)
    assert not verdict and verdict.status == 2


def test_bench_measures_a_live_cache(trace):
    bench = assay.bench([trace], "lru", ["10%"], requests=500, repetitions=1)
    assert len(list(csv.DictReader(io.StringIO(bench.csv)))) >= 1


def test_errors_have_code_and_location(tmp_path):
    broken = tmp_path / "broken trace.csv"
    broken.write_text("key,size\na,1\nb,many\n")
    with pytest.raises(assay.AssayError) as caught:
        assay.run(traces=[broken], policies=["lru"])
    error = caught.value
    assert (error.code, error.line, error.location) == (65, 3, f"{broken}:3")
    assert "many" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.location, str(again)) == (65, error.location, str(error)), "processes of a pool send it"


def test_a_wrong_name_is_said_with_its_remedy():
    with pytest.raises(assay.AssayError) as caught:
        assay.run(traces=["zipf-1.0"], policies=["lruu"])
    assert caught.value.code == 64 and caught.value.location is None
    assert "Did you mean 'lru'?" in str(caught.value)


def test_a_sentence_with_a_colon_is_no_location():
    assert assay.AssayError("There is one way: another file", 64).location is None


def test_values_that_begin_with_a_dash_are_no_options(trace):
    with pytest.raises(assay.AssayError) as caught:
        assay.run(traces=[trace], policies=["--help"])
    assert caught.value.code == 64


def test_an_unknown_option_is_refused(trace):
    with pytest.raises(assay.AssayError, match="no-such-option"):
        assay.run(traces=[trace], policies=["lru"], no_such_option=1)


def test_there_may_be_no_command(monkeypatch):
    monkeypatch.delenv("ASSAY", raising=False)
    monkeypatch.setattr(_command.shutil, "which", lambda name: None)
    monkeypatch.setattr(_command, "__file__", "/nowhere/assay/_command.py")
    with pytest.raises(assay.AssayError) as caught:
        assay.command_path()
    assert caught.value.code == 69


def test_the_script_is_the_command():
    said = subprocess.run([sys.executable, "-m", "assay", "--version"], check=True, capture_output=True, text=True)
    assert said.stdout.strip()


def test_the_package_is_typed():
    assert (Path(assay.__file__).parent / "py.typed").is_file()


def test_a_notebook_draws_a_plot(tmp_path):
    """The notebook of the guide, run headless in a kernel of this interpreter, as somebody who reads it would."""
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbconvert")
    pytest.importorskip("matplotlib")
    from nbconvert.preprocessors import ExecutePreprocessor

    path = Path(__file__).parent.parent / "examples" / "compare.ipynb"
    book = nbformat.read(path, as_version=4)
    ExecutePreprocessor(timeout=600, kernel_name="python3").preprocess(book, {"metadata": {"path": str(tmp_path)}})
    outputs = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert "image/png" in kinds, "the plot"
    assert any("<iframe " in output.get("data", {}).get("text/html", "") for output in outputs), "the report"
