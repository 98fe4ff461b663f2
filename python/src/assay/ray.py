"""Runs a sweep on Ray: ``python -m assay.ray PLAN.yaml --out DIR``, or ``python -m assay.ray DIR`` for one that is planned.

Each shard is a task that asks for the processors and the memory that the plan expects. Shards of a trace follow each other on the node
that has it. Not more are handed out than the cluster runs or is about to run. A shard whose node or process is lost is run again.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time
from collections import deque
from typing import Any, Deque, Dict, List, Optional, Sequence, Set, Tuple

from ._command import AssayError, _progress_display, execute
from ._sweep import Outcome, Place, Sweep, planned, run_in

# Statuses that another node or another moment may mend: what cannot be written or read, and a signal.
_INPUT_OUTPUT = 74


def run(
    sweep: Sweep,
    place: Optional[Place] = None,
    *,
    address: Optional[str] = None,
    cpus: int = 1,
    retries: int = 4,
    in_flight: Optional[int] = None,
) -> List[Outcome]:
    """Runs the shards that have no result, each on ``cpus`` processors, and returns those that failed.

    ``address`` is that of a cluster of which this machine is a node (``auto``, ``host:6379``); without it ``$RAY_ADDRESS`` names one, or else this
    machine is one. ``retries`` is how often a shard is run again whose node, process or disk failed. ``in_flight`` is how many tasks
    are handed out at once (default: twice as many as the cluster runs). A lost connection to the cluster raises ``AssayError`` (69).
    """
    return _Driver(sweep, place or Place(sweep), cpus, retries, in_flight).run(address)


class _Queue:
    """Shards that wait, by trace: the longest traces first, and a node's next shard of the trace that it has just read."""

    def __init__(self, sweep: Sweep, done: Set[int]) -> None:
        self._of_trace: Dict[int, Deque[int]] = {}
        self._sweep = sweep
        for index, shard in enumerate(sweep.shards):
            if index not in done:
                self._of_trace.setdefault(shard["trace"], deque()).append(index)
        seconds = {trace: sum(sweep.shards[i]["seconds"] for i in shards) for trace, shards in self._of_trace.items()}
        self._fresh = deque(sorted(self._of_trace, key=lambda trace: -seconds[trace]))
        self.count = sum(map(len, self._of_trace.values()))

    def take(self, trace: Optional[int]) -> Tuple[int, bool]:
        """The next shard, and whether it is of the trace that was asked for."""
        is_same = trace is not None and trace in self._of_trace
        while not is_same and self._fresh and self._fresh[0] not in self._of_trace:
            self._fresh.popleft()
        if is_same:
            assert trace is not None
            chosen = trace
        elif self._fresh:
            chosen = self._fresh.popleft()
        else:
            chosen = max(self._of_trace, key=lambda trace: len(self._of_trace[trace]))
        index = self._of_trace[chosen].popleft()
        if not self._of_trace[chosen]:
            del self._of_trace[chosen]
        self.count -= 1
        return index, is_same

    def put(self, index: int) -> None:
        """Takes a shard back, to be the next of its trace."""
        trace = self._sweep.shards[index]["trace"]
        if trace not in self._of_trace:
            self._fresh.append(trace)
        self._of_trace.setdefault(trace, deque()).appendleft(index)
        self.count += 1


class _Driver:
    def __init__(self, sweep: Sweep, place: Place, cpus: int, retries: int, in_flight: Optional[int]) -> None:
        self.sweep, self.place, self.cpus, self.retries, self.in_flight = sweep, place, cpus, retries, in_flight
        self.done: Set[int] = set()
        self.failed: Dict[int, Outcome] = {}
        self.losses: Dict[int, int] = {}
        self.memory: Dict[int, int] = {}
        self.running: Dict[Any, int] = {}
        # Shards that another process has, with the moment to look again.
        self.elsewhere: Deque[Tuple[float, int]] = deque()
        # Nodes that have just ended a shard, with its trace.
        self.free: Deque[Tuple[str, int]] = deque()
        self.warned: Set[int] = set()
        self.show = _progress_display()
        self.said = time.monotonic()

    def run(self, address: Optional[str]) -> List[Outcome]:
        self.done = self.place.done(self.sweep)
        self.queue = _Queue(self.sweep, self.done)
        if self.queue.count == 0:
            return []
        self.ray = _started(address)
        self.task = self.ray.remote(_attempt)
        own = self.ray.get_runtime_context().get_node_id()
        self.own = own if own in {node["NodeID"] for node in self.ray.nodes()} else None
        try:
            while self.queue.count or self.running or self.elsewhere:
                self._submit()
                self._wait()
                self._progress()
        except KeyboardInterrupt:
            # The command ends in order, and keeps what it has finished of a shard.
            for task in self.running:
                self.ray.cancel(task)
            if self.running:
                self.ray.wait(list(self.running), num_returns=len(self.running), timeout=30)
            raise
        except self.ray.exceptions.RaySystemError as error:
            raise AssayError(f"The cluster is lost: {error}. Start it, and give the same command again.", 69) from error
        finally:
            if self.show is not None:
                self.show(None)
            self.ray.shutdown()
        return [self.failed[index] for index in sorted(self.failed)]

    def _limit(self) -> int:
        if self.in_flight is not None:
            return self.in_flight
        # Twice as many as run: so many wait that a cluster which grows by demand sees it.
        return max(2, 2 * int(self.ray.cluster_resources().get("CPU", 0) // self.cpus))

    def _submit(self) -> None:
        while self.elsewhere and self.elsewhere[0][0] <= time.monotonic():
            self.queue.put(self.elsewhere.popleft()[1])
        nodes = [node for node in self.ray.nodes() if node["Alive"]]
        alive = {node["NodeID"] for node in nodes}
        # Without its own node nothing ends that this process waits for.
        if self.own is not None and self.own not in alive:
            raise AssayError("The node on which this runs is lost. Give the same command again elsewhere.", 69)
        largest = max((node["Resources"].get("memory", 0) for node in nodes), default=0)
        for _ in range(min(self.queue.count, max(0, self._limit() - len(self.running)))):
            node, trace = self.free.popleft() if self.free else (None, None)
            index, is_same = self.queue.take(trace)
            memory = self.memory.setdefault(index, self.sweep.memory(index, self.cpus))
            if memory > largest and index not in self.warned:
                self.warned.add(index)
                _say(f"{self.sweep.label(index)} waits for a node with {memory / 2**30:.1f} GiB; none that is there now has it")
            options: Dict[str, Any] = {"num_cpus": self.cpus, "memory": memory, "max_retries": 0}
            if node in alive and is_same and not self.losses.get(index):
                affinity = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
                options["scheduling_strategy"] = affinity(node_id=node, soft=True)
            name = self.sweep.label(index)
            self.running[self.task.options(name=name, **options).remote(self.place, index, self.cpus, os.environ.get("ASSAY"))] = index

    def _wait(self) -> None:
        if not self.running:
            time.sleep(0.2)
            return
        ended, _ = self.ray.wait(list(self.running), num_returns=1, timeout=1)
        for task in ended:
            index = self.running.pop(task)
            try:
                outcome, node = self.ray.get(task)
            except self.ray.exceptions.RayError as error:
                if isinstance(error, self.ray.exceptions.OutOfMemoryError):
                    self.memory[index] *= 2
                self._lost(Outcome(index, "failed", _words(error), _INPUT_OUTPUT))
                continue
            self.free.append((node, self.sweep.shards[index]["trace"]))
            if len(self.free) > len(self.running) + 64:
                self.free.popleft()
            if outcome.state == "done":
                self.done.add(index)
            elif outcome.state == "elsewhere":
                self.elsewhere.append((time.monotonic() + 2, index))
            elif outcome.code < 0 or outcome.code == _INPUT_OUTPUT:
                self._lost(outcome)
            else:
                self._failed(outcome)

    def _lost(self, outcome: Outcome) -> None:
        """A failure that is not the shard's own: it is run again, as often as was allowed."""
        index = outcome.index
        self.losses[index] = self.losses.get(index, 0) + 1
        if self.losses[index] > self.retries:
            outcome.message = f"failed {self.losses[index]} times, the last time so: {outcome.message}"
            self._failed(outcome)
            return
        _say(f"{self.sweep.label(index)} is run again: {outcome.message}")
        self.queue.put(index)

    def _failed(self, outcome: Outcome) -> None:
        _say(f"{self.sweep.label(outcome.index)} failed: {outcome.message}")
        self.failed[outcome.index] = outcome
        self.sweep.note(outcome)

    def _progress(self) -> None:
        lost = sum(self.losses.values())
        text = f"{len(self.done)} of {len(self.sweep.shards)} shards done, {len(self.running)} handed out" + "".join(
            f", {count} {word}"
            for count, word in [(lost, "run again"), (len(self.elsewhere), "with other processes"), (len(self.failed), "failed")]
            if count
        )
        if self.show is not None:
            self.show(text)
        elif time.monotonic() - self.said >= float(os.environ.get("ASSAY_PROGRESS_SECONDS", "10")):
            self.said = time.monotonic()
            _say(text)


def _attempt(place: Place, index: int, cpus: int, command: Optional[str]) -> Tuple[Outcome, str]:
    """A task: one attempt at a shard by the driver's choice of the command, and the node that made it."""
    import ray

    # An environment of Ray's own for it would start another worker than the one that waits.
    if command:
        os.environ["ASSAY"] = command
    return run_in(place, index, cpus), ray.get_runtime_context().get_node_id()


def _started(address: Optional[str]) -> Any:
    # A program that was installed to compare caches reports to nobody.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError as error:
        raise AssayError(f"Ray cannot be imported: {error}. Install it: pip install ray", 69) from error
    is_here = address is None and not os.environ.get("RAY_ADDRESS")
    own: Dict[str, Any] = {"include_dashboard": False} if is_here else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise AssayError(f"There is no cluster at '{address}': {error}", 69) from error
    return ray


def _words(error: Exception) -> str:
    """What Ray says in many lines, in the first of them; what the task raised, in the last."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    return f"{type(error).__name__}: {lines[-1] if hasattr(error, 'cause') else lines[0]}"


def _say(text: str) -> None:
    print(f"assay: {text}", file=sys.stderr, flush=True)


def _arguments(words: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m assay.ray", description="Run a sweep on Ray, and merge its results.",
        epilog="Words after '--' are options of 'assay sweep plan', as in: python -m assay.ray plan.yaml --out sweep -- --seed 3",
    )  # fmt: skip
    parser.add_argument("target", help="the file of a plan, or the directory of a sweep that is planned")
    parser.add_argument("--out", metavar="DIR", help="with a plan's file: the directory of the sweep")
    parser.add_argument("--address", help="the cluster (default: $RAY_ADDRESS, or else this machine alone)")
    parser.add_argument("--cpus", type=_positive, default=1, help="processors of each shard (default: 1)")
    parser.add_argument("--retries", type=_number, default=4, help="how often a shard is run again whose node is lost (default: 4)")
    parser.add_argument("--in-flight", type=_positive, metavar="NUMBER", help="tasks handed out at once (default: twice what runs)")
    parser.add_argument("--store", metavar="s3://BUCKET/PREFIX", help="where nodes without a common disk find the sweep")
    parser.add_argument("--cache", metavar="DIR", help="with --store: where each node keeps inputs (default: ~/.cache/assay/sweeps)")
    given = list(sys.argv[1:] if words is None else words)
    own, options = (given[: given.index("--")], given[given.index("--") + 1 :]) if "--" in given else (given, [])
    arguments = parser.parse_args(own)
    if arguments.cache and not arguments.store:
        parser.error("--cache belongs to --store")
    arguments.plan_options = options
    return arguments


def _number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 0")
    return int(text)


def _positive(text: str) -> int:
    if _number(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1")
    return int(text)


def main(words: Optional[Sequence[str]] = None) -> int:
    """Plans at need, runs, merges; the exit status is that of ``assay sweep merge``, which says what is missing and why."""
    arguments = _arguments(words)
    try:
        sweep = planned(arguments.target, arguments.out, arguments.plan_options)
        place = Place(sweep)
        if arguments.store:
            from .s3 import StorePlace

            place = StorePlace.pushed(sweep, arguments.store, arguments.cache)
        run(
            sweep, place, address=arguments.address, cpus=arguments.cpus, retries=arguments.retries,
            in_flight=arguments.in_flight,
        )  # fmt: skip
        place.collect(sweep)
        _, text = execute(["sweep", "merge", str(sweep.directory)], progress=False)
    except AssayError as error:
        print(error.output or f"assay: {error}", file=sys.stderr)
        return error.code if error.code > 0 else 128 - error.code
    except KeyboardInterrupt:
        _say("interrupted; what is done is kept: give the same command with the directory of the sweep to go on")
        return 130
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
