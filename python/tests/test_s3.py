"""A sweep in an S3-compatible store: moto's server on loopback, and workers that have only their caches."""

import contextlib
import fcntl
import io
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from sweeps import assay, exact

from assay import AssayError, s3
from assay._sweep import Sweep

pytest.importorskip("boto3", reason="boto3 is not installed")
server = pytest.importorskip("moto.server", reason="moto is not installed")


@pytest.fixture
def store(stores):
    """A client of a store with a bucket."""
    running = server.ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    stores.write_text(f"[default]\nregion = us-east-1\nendpoint_url = http://{host}:{port}\n")
    s3._client.cache_clear()
    s3._opened.cache_clear()
    client = s3._client()
    client.create_bucket(Bucket="bucket")
    yield client
    running.stop()


def run(folder, *words, status=0):
    """Runs the driver in a folder."""
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said):
        assert s3.main(list(map(str, words))) == status, said.getvalue()
    return said.getvalue()


def worker(cache, shards):
    """Runs shards in a process of its own that knows the store and its cache."""
    words = ["-m", "assay.s3", "run", "s3://bucket/sweeps/one", "--cache", ".", "--jobs", "1", "--shard", shards]
    return subprocess.run([sys.executable, *words], cwd=cache, stdout=subprocess.PIPE, text=True, check=True).stdout


def keys(client, prefix):
    return sorted(entry["Key"] for entry in client.list_objects_v2(Bucket="bucket", Prefix=prefix).get("Contents", []))


def test_traces_of_a_store_are_run_by_workers_without_a_common_disk(store, make_plan, tmp_path):
    """Traces of a terabyte are in stores. Two workers with a cache each must give what one run over files gives, each shard once."""
    plan = make_plan(2000, pattern='"s3://bucket/logs/t?.txt"')
    for number in range(3):
        store.upload_file(str(plan.folder / f"traces/t{number}.txt"), "bucket", f"logs/t{number}.txt")
    # Neither matches: '?' stands for one character, and none stands for '/'.
    for name in ("logs/t10.txt", "logs/x/t1.txt"):
        store.put_object(Bucket="bucket", Key=name, Body=b"1\n")
    assert "planned 3 shards" in run(plan.folder, "plan", plan.file, "--out", "sweep", "--seed", 7)
    run(plan.folder, "push", "sweep", "s3://bucket/sweeps/one")
    caches = [tmp_path / f"worker-{number}" for number in range(2)]
    for cache in caches:
        cache.mkdir()
    with ThreadPoolExecutor() as pool:
        said = list(pool.map(worker, caches, ["0/2", "1/2"]))
    assert "2 run" in said[0] and "1 run" in said[1]
    assert [len(list(cache.rglob("t?.txt"))) for cache in caches] == [2, 1]
    assert "3 done before" in run(tmp_path, "run", "s3://bucket/sweeps/one", "--cache", caches[1])
    assert keys(store, "sweeps/one/results/") == [f"sweeps/one/results/0/{index}.json" for index in range(3)]

    run(tmp_path, "pull", "s3://bucket/sweeps/one", "back")
    assay(tmp_path, "sweep", "merge", "back", "--no-page")
    plan.file.write_text(plan.file.read_text().replace('"s3://bucket/logs/t?.txt"', "s3-traces/bucket/logs/t?.txt"))
    assay(plan.folder, "run", "--suite", plan.file, "--seed", 7, "--out", "whole", "--quiet")
    assert exact(tmp_path / "back/report") == exact(plan.folder / "whole")


def test_nodes_of_ray_find_the_sweep_in_the_store(store, cluster, make_plan, tmp_path):
    """Nodes of a cloud have no disk in common, and the driver's directory is on none of them."""
    from assay import ray

    plan = make_plan(1000)
    directory = plan.planned(parts=2)
    words = ["--address", cluster[0], "--store", "s3://bucket/ray", "--cache", str(tmp_path / "node")]
    assert ray.main([str(directory), *words]) == 0
    assert len(keys(store, "ray/results/")) == 6 and len(keys(store, "ray/inputs/")) == 3
    assert not any((directory / "work").iterdir()) and len(list((tmp_path / "node").rglob("t?.txt"))) == 3
    assert exact(directory / "report") == plan.whole()


def test_a_changed_object_is_refused_and_said(store, make_plan, tmp_path):
    """Results of an input that was replaced meanwhile would be of another trace, under the same name."""
    plan = make_plan(100, traces=1, pattern="s3://bucket/t.txt, zipf-0.8-sizes")
    store.put_object(Bucket="bucket", Key="t.txt", Body=b"1\n2\n1\n" * 50)
    run(plan.folder, "plan", plan.file, "--out", "sweep")
    run(plan.folder, "push", "sweep", "s3://bucket/two")
    store.put_object(Bucket="bucket", Key="t.txt", Body=b"1\n2\n3\n" * 50)
    said = run(tmp_path, "run", "s3://bucket/two", "--cache", tmp_path / "worker", "--shard", 0, status=65)
    assert "s3://bucket/t.txt: is not what it was when the plan was made" in said
    run(tmp_path, "pull", "s3://bucket/two", "sweep")
    merged = subprocess.run([os.environ["ASSAY"], "sweep", "status", tmp_path / "sweep"], capture_output=True, text=True)
    assert "failed: s3://bucket/t.txt: is not what it was" in merged.stdout


def test_the_first_result_stays(store, make_plan, tmp_path):
    """Two workers may run one shard at once where no lock is shared; two results would make the merge refuse both."""
    sweep = Sweep(make_plan(100).planned())
    place = s3.StorePlace.pushed(sweep, "s3://bucket/three", str(tmp_path / "worker"))
    # Files under the directory of the plan are uploaded once, by their digests.
    assert len(keys(store, "three/inputs/")) == 3
    assert s3.StorePlace.pushed(sweep, "s3://bucket/three").done() == set()
    assert place.run(0, 1).state == "done"
    first = store.get_object(Bucket="bucket", Key="three/results/0/0.json")["Body"].read()
    other = s3.StorePlace("s3://bucket/three", str(tmp_path / "other"))
    assert other.run(0, 1).state == "done"
    assert store.get_object(Bucket="bucket", Key="three/results/0/0.json")["Body"].read() == first
    place.collect(sweep)
    assert sweep.done() == {0}
    with pytest.raises(AssayError, match="another plan is here"):
        s3.StorePlace.pushed(Sweep(make_plan(200, "there").planned()), "s3://bucket/three")


def test_a_damaged_result_is_not_merged(store, make_plan, tmp_path):
    """Stores keep what they are given, and a hand or another program may replace it."""
    sweep = Sweep(make_plan(100, traces=1).planned())
    place = s3.StorePlace.pushed(sweep, "s3://bucket/four", str(tmp_path / "worker"))
    assert place.run(0, 1).state == "done"
    body = store.get_object(Bucket="bucket", Key="four/results/0/0.json")["Body"].read()
    store.put_object(Bucket="bucket", Key="four/results/0/0.json", Body=body[:-2], Metadata={"sha256": "0" * 64})
    with pytest.raises(AssayError, match="is not what its digest stands for"):
        place.collect(sweep)


def test_a_store_that_ignores_conditions_is_refused(store, make_plan, monkeypatch):
    """Several stores accept If-None-Match and write all the same."""
    sweep = Sweep(make_plan(100).planned())
    put = store.put_object
    monkeypatch.setattr(store, "put_object", lambda **words: put(**{k: v for k, v in words.items() if k != "IfNoneMatch"}))
    with pytest.raises(AssayError, match="writes an object twice") as refused:
        s3.StorePlace.pushed(sweep, "s3://bucket/five")
    assert refused.value.code == 69


def test_inputs_that_nobody_reads_make_room(store, make_plan, tmp_path, monkeypatch):
    """A node's disk is smaller than a corpus."""
    sweep = Sweep(make_plan(1000).planned())
    place = s3.StorePlace.pushed(sweep, "s3://bucket/six", str(tmp_path / "worker"))
    total = sum(path.stat().st_size for path in (sweep.working_directory / "traces").iterdir())

    def usage(root):
        taken = sum(path.stat().st_size for path in root.rglob("t?.txt"))
        return type("Usage", (), {"total": 0, "free": total * 0.7 - taken})

    monkeypatch.setattr(s3.shutil, "disk_usage", usage)
    assert [place.run(index, 1).state for index in range(3)] == ["done"] * 3
    root = place.opened()[2]
    assert sorted(path.name for path in root.rglob("t?.txt")) == ["t1.txt", "t2.txt"]
    with s3._held(root / "traces/t1.txt", fcntl.LOCK_SH):
        s3._make_room(root, total)
    assert [path.name for path in root.rglob("t?.txt")] == ["t1.txt"]


def test_inputs_stay_under_their_directory(store, make_plan, tmp_path):
    """A name in a plan or a store must not become a file elsewhere on a worker."""
    plan = make_plan(100, traces=1, pattern='"s3://bucket/../t.txt"')
    assert "has no place on a worker" in run(plan.folder, "plan", plan.file, "--out", "sweep", status=64)
    plan = make_plan(100, "there", traces=1, pattern=f"{plan.folder}/traces/t0.txt")
    with pytest.raises(AssayError, match="has no place on a worker"):
        s3.StorePlace.pushed(Sweep(plan.planned()), "s3://bucket/seven")


@pytest.mark.parametrize("words, numbers", [(["7"], [7]), (["0-2,5"], [0, 1, 2, 5]), (["2/4"], [2, 6]), ([], list(range(8)))])
def test_shards_are_chosen_as_the_command_does(words, numbers):
    assert s3._chosen(words, 8) == numbers


@pytest.mark.parametrize("word", ["8", "x", "4/4", "5-2", "-1", ""])
def test_numbers_that_no_shard_has_are_refused(word):
    with pytest.raises(AssayError) as refused:
        s3._chosen([word], 8)
    assert refused.value.code == 64
