"""Running Assay and libCacheSim once, and what the parts of scripts/peers-replay share."""

import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer.py")
RECORD_BYTES = 24  # of an oracleGeneral record

# Started by a small process of its own: a child begins with the peak of whoever forks it.
LAUNCHER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss * 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


class PeerFailure(Exception):
    """libCacheSim crashed or did not end in time."""


@dataclass
class Trace:
    """A trace that both read: Assay by its own name, or both from the raw file."""

    name: str
    arguments: list  # how Assay is told of it
    raw: str  # the oracleGeneral file
    requests: int
    objects: int


class Bench:
    """The assay executable, a temporary directory, and traces made there."""

    def __init__(self, assay, directory):
        self.assay = assay
        self.directory = directory

    def call(self, *arguments):
        """Runs assay; returns what it printed."""
        return subprocess.run([self.assay, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout

    def trace(self, name, argument, format=None):
        """Compiles a trace, writes it as a raw file, and reads both once to have them in the page cache."""
        selected = [argument, *(["--format", format] if format else [])]
        raw = os.path.join(self.directory, f"{name}.oracleGeneral")
        self.call("export", *selected, raw)
        bound = self.bound(["--trace", *selected], passes=1)
        read_all(raw)
        return Trace(name, ["--trace", *selected], raw, bound["requests"], bound["objects"])

    def prefix(self, trace, requests):
        """The first requests of a trace, as a raw file that both read."""
        if requests >= trace.requests:
            return trace
        raw = os.path.join(self.directory, f"{trace.name}.first-{requests}.oracleGeneral")
        if not os.path.exists(raw):
            with open(trace.raw, "rb") as source, open(raw, "wb") as target:
                target.write(source.read(requests * RECORD_BYTES))
        bound = self.bound(["--trace", raw, "--compiled-traces", self.compiled()], passes=1)
        return Trace(trace.name, ["--trace", raw, "--compiled-traces", self.compiled()], raw, requests,
                     bound["objects"])

    def compiled(self):
        """A store of compiled traces that ends with this run."""
        return os.path.join(self.directory, "compiled")

    def bound(self, trace_arguments, passes=5):
        """The machine's bound for a trace: requests, objects and requests a second."""
        return json.loads(self.call("measure-machine", *trace_arguments, "--passes", str(passes)))

    def replay(self, trace, policy, capacity):
        """One replay by Assay on one core: requests a second of the compiled trace, hits, peak memory of the process."""
        out = fresh(self.directory, "out")
        command = [self.assay, "run", "--quiet", "--jobs", "1", *trace.arguments, "--policy", policy,
                   "--capacity", str(capacity), "--out", out]
        launched = subprocess.run([sys.executable, "-c", LAUNCHER, *command], stdout=subprocess.PIPE, text=True)
        if launched.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with status {launched.returncode}")
        with open(os.path.join(out, "results.json")) as file:
            cell = json.load(file)["cells"][0]
        return {"speed": cell["requestsPerSecond"], "hits": cell["counts"]["hits"], "peak": int(launched.stdout)}


def peer(pair, trace, capacity, settings, deadline):
    """One pass of libCacheSim on one core; raises PeerFailure if it gives no result."""
    order = {"policy": pair.theirs, "trace": trace.raw, "capacity": capacity, "settings": {**pair.settings, **settings}}
    try:
        run = subprocess.run([sys.executable, PEER, json.dumps(order)], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, timeout=deadline)
    except subprocess.TimeoutExpired:
        raise PeerFailure(f"no result within {deadline:.0f} s") from None
    if run.returncode != 0:
        raise PeerFailure(f"ended with status {run.returncode}")
    result = json.loads(run.stdout.splitlines()[-1])
    result["speed"] = trace.requests / result["seconds"]
    result["hits"] = round(trace.requests * (1 - result["missRatio"]))
    return result


def hashpowers(capacity):
    """Sizes of the peer's hash table, in powers of two, that suit a capacity; as installed it is 24 whatever the capacity."""
    least = max(8, math.ceil(math.log2(capacity)))
    return [least + 1, least + 2, least + 3]


def timed(command, **options):
    """The seconds a command takes from start to end."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    return time.perf_counter() - start


def read_all(path):
    """Reads a raw file to its end, so that it is in the page cache. Ends where a size is not 1, for libCacheSim takes capacities for bytes."""
    with open(path, "rb") as file:
        while records := file.read(RECORD_BYTES << 16):
            if set(memoryview(records).cast("I")[3::6]) != {1}:
                sys.exit(f"{path}: objects have sizes, and speeds are compared in objects; choose a workload without sizes")


def fresh(directory, name):
    """The path of a folder that a run makes anew, for no run replaces another's results; the one before is removed."""
    path = os.path.join(directory, name)
    shutil.rmtree(path, ignore_errors=True)
    return path


def geometric_mean(values):
    """Of ratios."""
    return math.exp(statistics.fmean(math.log(value) for value in values))


def spread(values):
    """The median and the range, for a table."""
    return f"{statistics.median(values):6.1f} ({min(values):.1f}..{max(values):.1f})"


def verdict(text, value, target, unit=""):
    """A line that says whether a target is met."""
    met = "met" if value >= target else "MISSED"
    return f"  {met:<6} {text}: {value:.1f}{unit} (target {target:g}{unit})"


def note(text):
    """Progress, on standard error."""
    print(text, file=sys.stderr, flush=True)


def temporary_directory():
    """A directory that goes away with the run; a comparison needs up to some gigabytes in it (TMPDIR says where)."""
    return tempfile.TemporaryDirectory(prefix="assay-peers-")
