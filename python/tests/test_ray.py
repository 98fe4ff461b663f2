"""A sweep on Ray, with nodes that are slow, lost and back. A cluster of four nodes on this machine."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from sweeps import exact, lines, stand_in

from assay._sweep import Outcome, Place, Sweep

pytest.importorskip("ray", reason="Ray is not installed")


def kill(node):
    """Takes a node and all that runs on it, as a machine that loses its power."""
    from ray._private import ray_constants

    parents = {}
    for path in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            parents[int(path.parent.name)] = int(re.search(r"^PPid:\s*(\d+)", path.read_text(), re.M)[1])
    lost = [process.process.pid for process in node.all_processes[ray_constants.PROCESS_TYPE_RAYLET]]
    for pid in lost:
        lost += [child for child, parent in parents.items() if parent == pid]
    for pid in lost:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_a_lost_node_costs_its_shard_alone(make_plan, cluster, tmp_path):
    """Schedulers lose nodes; what they had done must stay, what they did must be done once more, and nothing else may."""
    (address, nodes), log = cluster, tmp_path / "log"
    command = stand_in(tmp_path, log)
    # A machine that is done with a shard before it stands still gets longer ones.
    for requests in (50_000, 500_000, 5_000_000):
        plan = make_plan(requests, f"of-{requests}")
        directory = plan.planned(parts=4)
        log.unlink(missing_ok=True)
        driver = subprocess.Popen(
            [sys.executable, "-m", "assay.ray", str(directory), "--address", address], stderr=subprocess.PIPE, text=True,
            env={**os.environ, "ASSAY": str(command)},
        )  # fmt: skip
        while driver.poll() is None and not lines(log, "still"):
            time.sleep(0.02)
        if lines(log, "still"):
            break
        assert driver.wait() == 0
    else:
        pytest.fail("no shard could be stopped in its middle")
    lost = lines(log, "still")[0][1]
    kill(nodes["doomed"])
    said = driver.communicate()[1]
    assert driver.returncode == 0, said
    shards = {str(index) for index in range(12)}
    assert Counter(line[1] for line in lines(log, "end")) == Counter(shards)
    assert Counter(line[1] for line in lines(log, "start")) == Counter(shards) + Counter([lost])
    assert f"shard {lost} " in said and "is run again" in said
    assert [line for line in lines(log, "end") if line[2] == "slow"], "the slow node had nothing to do"
    assert exact(directory / "report") == plan.whole()


class Elsewhere(Place):
    """A place where another process has each shard at first, and where some fail."""

    def __init__(self, sweep, note):
        super().__init__(sweep)
        self.note = note

    def run(self, index, cpus):
        with self.note.open("a") as file:
            file.write(f"{index}\n")
        tries = self.note.read_text().split().count(str(index))
        if index == 0:
            return Outcome(0, "elsewhere") if tries == 1 else Outcome(0, "done")
        if index == 1:
            return Outcome(1, "failed", "the disk is full", 74)
        return Outcome(2, "failed", "the input is not what it was", 65)


def test_what_another_process_has_is_asked_for_again_and_bad_input_is_not(make_plan, cluster, tmp_path):
    """A full disk is one node's; a changed input is the same everywhere."""
    from assay.ray import run

    sweep = Sweep(make_plan(100).planned())
    # A class of a test is not there for workers: it is sent by value.
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    failed = run(sweep, Elsewhere(sweep, tmp_path / "note"), address=cluster[0], retries=2)
    tries = Counter((tmp_path / "note").read_text().split())
    assert tries == {"0": 2, "1": 3, "2": 1}
    assert [(each.index, each.code) for each in failed] == [(1, 74), (2, 65)]
    assert failed[0].message == "failed 3 times, the last time so: the disk is full"
    assert (sweep.directory / "failures/2.txt").read_text() == "the input is not what it was"


def test_shards_of_a_trace_follow_each_other_on_a_node(make_plan):
    """A node has read its trace already; another would read it again."""
    from assay.ray import _Queue

    sweep = Sweep(make_plan(1000).planned(parts=2))
    trace = [shard["trace"] for shard in sweep.shards]
    queue = _Queue(sweep, done={0})
    first = [queue.take(None)[0] for _ in range(3)]
    assert {trace[index] for index in first} == {0, 1, 2}
    again = queue.take(trace[first[0]])
    if again[1]:
        assert trace[again[0]] == trace[first[0]]
    queue.put(first[1])
    taken = [queue.take(trace[first[1]])[0] for _ in range(queue.count)]
    assert taken[0] == first[1] and queue.count == 0
    assert sorted(taken + [first[0], first[2], again[0]]) == [1, 2, 3, 4, 5]
