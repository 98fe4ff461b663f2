"""Assay's cache against what people would otherwise use, in one run; called by scripts/peers-live, which says what it does."""

import argparse
import json
import os
import random
import statistics
import struct
import subprocess
import sys
import tempfile

from common import note

HERE = os.path.dirname(os.path.abspath(__file__))
PEER = os.path.join(HERE, "live_peer.py")
JARS = ":".join(f"/usr/share/java/{name}.jar" for name in ["caffeine", "guava"])  # Debian's
# Where a cache that lies in another process or library is made to count with jemalloc; see AllocationMeter.
COUNTING = {"LD_PRELOAD": "libjemalloc.so.2", "MALLOC_CONF": "tcache:false", "PYTHONMALLOC": "malloc"}

# Name, what it is, requests of a pass: slower ones make fewer.
SWIFT = {
    "engine": ("Assay's Cache, lru, a capacity in entries", 4_000_000),
    "engine-strict": ("the same in strict order: every read takes the lock", 4_000_000),
    "engine-w-tinylfu": ("the same with w-tinylfu, in relaxed order as engine", 4_000_000),
    "engine-bytes": ("as engine, a capacity in bytes", 4_000_000),
    "engine-expiry": ("the same, and entries expire", 4_000_000),
    "engine-numbers": ("as engine, values that are numbers, of which no references are counted", 4_000_000),
    "empty": ("no cache: what the load itself costs, as a part of the others' times", 4_000_000),
    "locked-lru": ("a Swift Dictionary and a linked list under one lock", 4_000_000),
    "nscache": ("Foundation's NSCache, countLimit, objects made beforehand", 500_000),
}
JVM = {
    "caffeine": ("Caffeine 2.6.2, W-TinyLFU; its upkeep in threads beside the load's; it may drop notes of reads", 4_000_000),
    "caffeine-alone": ("the same; its upkeep in the threads that use it", 4_000_000),
    "guava": ("Guava 31.1, LRU in segments; 1 segment for one thread, else 64", 4_000_000),
}
GO = {
    "ristretto": ("ristretto 0.0.3; it drops writes under load", 4_000_000),
    "hashicorp-lru": ("hashicorp/golang-lru 0.5.4", 4_000_000),
    "bigcache": ("bigcache 2.2.5, first in, first out, in whole megabytes; it copies what it returns", 2_000_000),
}
RUST = {
    "rust-lru": ("Rust's lru 0.7.8 under a Mutex", 4_000_000),
}
OTHERS = {
    "cachetools": ("cachetools 8.0.1 LRUCache; under a lock where two threads use it", 200_000),
    "moka-py": ("moka-py 0.5.0 Moka", 200_000),
    "theine": ("theine 2.0.0 Cache", 200_000),
    "diskcache": ("diskcache 5.6.3 Cache, least-recently-used, on disk", 20_000),
    "redis": ("redis-server, allkeys-lru, by redis-py with hiredis over a Unix socket", 30_000),
    "memcached": ("memcached, by pymemcache over a Unix socket", 30_000),
}
SUBJECTS = {**SWIFT, **JVM, **GO, **RUST, **OTHERS}


class Run:
    """The executables, the trace in the form that each reads, and what was measured."""

    def __init__(self, options, directory):
        self.options = options
        self.directory = directory
        self.trace = os.path.join(directory, "trace.oracleGeneral")
        subprocess.run([options.assay, "export", options.trace, self.trace], check=True, stdout=subprocess.DEVNULL)
        self.objects = json.loads(subprocess.run(
            [options.assay, "measure-machine", "--trace", options.trace, "--passes", "1"], check=True,
            stdout=subprocess.PIPE, text=True).stdout)["objects"]
        if set(options.chosen) & set(JVM):
            subprocess.run(["javac", "-d", directory, "-cp", JARS, os.path.join(HERE, "LivePeer.java")], check=True)
        if set(options.chosen) & set(GO):
            subprocess.run(["go", "build", "-o", os.path.join(directory, "gopeer"), os.path.join(HERE, "live_peer.go")],
                           env={**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode"}, check=True)
        if set(options.chosen) & set(RUST):
            self.make_rust_peer()
        self.entry_bytes = {}
        self.failures = {}

    def make_rust_peer(self):
        """Builds with Debian's crates alone."""
        folder = os.path.join(self.directory, "rust")
        for name, text in [
            ("src/main.rs", open(os.path.join(HERE, "live_peer.rs")).read()),
            ("Cargo.toml", '[package]\nname = "live_peer"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nlru = "0.7"\n'),
            (".cargo/config.toml", '[source.crates-io]\nreplace-with = "debian"\n'
                                   '[source.debian]\ndirectory = "/usr/share/cargo/registry"\n'),
        ]:
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        subprocess.run(["cargo", "build", "--release", "--offline", "--quiet"], cwd=folder, check=True)

    def call(self, command, environment=None):
        """The figures that a pass prints; None and a note if it gives none."""
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900,
                                  env={**os.environ, **(environment or {})}, cwd=self.directory)
        except subprocess.TimeoutExpired:
            return self.failed(command, "no result within 900 s")
        if done.returncode != 0:
            return self.failed(command, (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1])
        return json.loads(done.stdout.splitlines()[-1])

    def failed(self, command, reason):
        self.failures[" ".join(command[1:4])] = reason
        note(f"  {' '.join(command[1:4])}: {reason}")

    def measure(self, subject, pass_name, threads=1, capacity=None):
        """One pass of one subject in a process of its own."""
        requests = SUBJECTS[subject][1] // self.options.shorten
        capacity = capacity or self.options.capacity
        environment = COUNTING if pass_name == "memory" else None
        common = ["--capacity", str(capacity), "--value-bytes", str(self.options.value_bytes), "--threads", str(threads)]
        if subject in SWIFT:
            policy = ["--policy", "w-tinylfu"] if subject == "engine-w-tinylfu" else []
            return self.call([self.options.assay, "measure-peer", "--subject", subject.removesuffix("-w-tinylfu"), *policy,
                              "--pass", pass_name, "--trace", self.options.trace, "--requests", str(requests), *common],
                             environment)
        if subject in JVM:
            return self.call(["java", "-cp", f"{self.directory}:{JARS}", "LivePeer", subject, pass_name, "--trace", self.trace,
                              "--requests", str(requests), *common])
        if subject in RUST and pass_name == "memory":
            return None  # nobody counts what it allocates
        if subject in GO or subject in RUST:
            program = os.path.join(self.directory, "gopeer" if subject in GO else "rust/target/release/live_peer")
            return self.call([program, subject, pass_name, "--trace", self.trace, "--requests",
                              str(requests), *common])
        # Where a limit is in bytes: what an entry was found to take.
        entry = round(self.entry_bytes.get(subject, 0) + 20 + self.options.value_bytes)
        return self.call([sys.executable, PEER, subject, pass_name, "--trace", self.trace, "--requests", str(requests),
                          "--warm-up", str(requests), "--entry-bytes", str(entry), *common], environment)

    def memory(self, subject, capacity=None):
        """Bytes for each entry besides key and value."""
        figures = self.measure(subject, "memory", capacity=capacity)
        found = figures and figures.get("bytesPerEntry")
        if found and capacity is None:
            self.entry_bytes[subject] = max(0, found)
        return found


def write_operations(path, seed=1, count=100_000):
    """The operations of diskcache 5.6.3's tests/benchmark_core.py, for both sides: 8 bytes each."""
    generator = random.Random(seed)
    with open(path, "wb") as file:
        for number in range(count):
            key, repeats, choice = generator.randrange(100), generator.randrange(1, 100), generator.random()
            file.write(struct.pack("<BBHI", 0 if choice < 0.9 else 1 if choice < 0.99 else 2, key, repeats, number))


class Rounds:
    """Figures of several rounds in which subjects took turns."""

    def __init__(self):
        self.figures = {}

    def add(self, subject, name, value):
        self.figures.setdefault((subject, name), []).append(value)

    def median(self, subject, name):
        values = [value for value in self.figures.get((subject, name), []) if value is not None]
        return statistics.median(values) if values else None

    def ratio(self, subject, other, name):
        """The median over the rounds of one figure over the other of the same round, and the range."""
        pairs = zip(self.figures.get((subject, name), []), self.figures.get((other, name), []))
        ratios = [first / second for first, second in pairs if first is not None and second]
        return (statistics.median(ratios), min(ratios), max(ratios)) if ratios else None


def speed(figures):
    return figures and figures["requests"] / figures["seconds"]


def measure_round(run, rounds, subjects, number):
    """Every pass of every subject, those of one kind next to one another; who is first changes from round to round."""
    order = subjects[number % len(subjects):] + subjects[:number % len(subjects)]
    for pass_name, threads in [("reads", 1), ("reads", 2), ("replay", 1), ("replay", 2), ("latency", 1), ("latency", 2)]:
        note(f"round {number + 1}: {pass_name}, {threads} thread{'s' if threads > 1 else ''}")
        for subject in order:
            figures = run.measure(subject, pass_name, threads)
            name = f"{pass_name}{threads}"
            rounds.add(subject, name, speed(figures))
            if pass_name == "latency":
                rounds.add(subject, f"p99-{threads}", figures and figures.get("p99Nanoseconds"))
                rounds.add(subject, f"readP99-{threads}", figures and figures.get("readP99Nanoseconds"))
            if pass_name == "replay":
                rounds.add(subject, f"hits{threads}", figures and figures["hits"] / figures["requests"])
                rounds.add(subject, f"entries{threads}", figures and figures.get("entries"))


def measure_core(run, rounds, number, operations):
    """diskcache's own benchmark."""
    note(f"round {number + 1}: diskcache's benchmark")
    sides = ["diskcache", "sqlite", "file"]
    for side in sides[number % 3:] + sides[:number % 3]:
        if side == "diskcache":
            figures = run.call([sys.executable, PEER, "diskcache", "core", "--operations", operations])
        else:
            with tempfile.TemporaryDirectory(dir=run.directory) as store:
                figures = run.call([run.options.assay, "measure-peer", "--subject", side, "--operations", operations,
                                    "--directory", os.path.join(store, "store")])
        rounds.add(side, "core", figures and figures["operations"] / figures["seconds"])
        for kind in ["get", "set", "delete"]:
            rounds.add(side, kind, figures and figures[f"{kind}Nanoseconds"])
        rounds.add(side, "coreHits", figures and figures["hits"])


def text(value, form, factor=1.0):
    return "-" if value is None else form.format(value * factor)


COLUMNS = [  # title, figure, form, factor
    ("reads/s", "reads1", "{:.0f} k", 1e-3), ("2 threads", "reads2", "{:.0f} k", 1e-3),
    ("requests/s", "replay1", "{:.0f} k", 1e-3), ("hits", "hits1", "{:.2f} %", 100), ("entries", "entries1", "{:.0f}", 1),
    ("2 threads", "replay2", "{:.0f} k", 1e-3), ("hits", "hits2", "{:.2f} %", 100), ("entries", "entries2", "{:.0f}", 1),
    ("p99 µs", "p99-1", "{:.2f}", 1e-3), ("2 threads", "p99-2", "{:.2f}", 1e-3), ("of reads", "readP99-2", "{:.2f}", 1e-3),
]


def print_table(rounds, subjects, memory):
    print(f"\n{'':<17}" + "".join(f"{title:>11}" for title, *_ in COLUMNS) + f"{'B/entry':>9}")
    for subject in subjects:
        print(f"{subject:<17}" + "".join(text(rounds.median(subject, figure), form, factor).rjust(11)
                                         for _, figure, form, factor in COLUMNS)
              + text(memory.get(subject), "{:.1f}").rjust(9))


def print_load(rounds, subjects):
    """What part of the time of a cache of this process is the load's own."""
    for name, what in [("reads1", "reads at one thread"), ("reads2", "reads at two threads"),
                       ("replay1", "requests at one thread"), ("replay2", "requests at two threads")]:
        shares = [(subject, rounds.ratio(subject, "empty", name)) for subject in subjects
                  if subject in SWIFT and subject != "empty"]
        parts = ", ".join(f"{subject} {share[0] * 100:.0f} %" for subject, share in shares if share)
        speed = rounds.median("empty", name)
        if parts and speed:
            print(f"the load itself takes {1e9 / speed:.1f} ns, {what}; of the time of {parts}")


def print_core(rounds):
    print("\ndiskcache's own benchmark (100 keys; 90 % get, 9 % set, 1 % delete), medians")
    print(f"{'':<14}{'operations/s':>14}{'get µs':>9}{'set µs':>9}{'delete µs':>11}")
    for side in ["diskcache", "sqlite", "file"]:
        print(f"{side:<14}" + text(rounds.median(side, "core"), "{:>14.0f}")
              + text(rounds.median(side, "get"), "{:>9.2f}", 1e-3) + text(rounds.median(side, "set"), "{:>9.2f}", 1e-3)
              + text(rounds.median(side, "delete"), "{:>11.2f}", 1e-3))


def print_goals(rounds, memory, sizes, chosen):
    """Whether each goal is met; returns how many are not."""
    missed = 0

    def goal(what, value, is_met, form="{:.2f}"):
        nonlocal missed
        missed += not is_met
        print(f"  {'met' if is_met else 'MISSED':<7}{what}: {form.format(value) if value is not None else 'not measured'}")

    def ratio_goal(what, ratio, least):
        value = ratio and ratio[0]
        goal(what, value, value is not None and value >= least)
        if ratio:
            print(f"         rounds {ratio[1]:.2f} to {ratio[2]:.2f}")

    def ratio_goals(subject, other, name, what, least):
        if {subject, other} <= set(chosen):
            ratio_goal(f"{what}, {subject} over {other}, at least {least}", rounds.ratio(subject, other, name), least)

    print("\ngoals for what was chosen (ratios are medians of the rounds' own)")
    for other in ["caffeine", "caffeine-alone"]:
        for name, what in [("reads1", "reads at one thread"), ("reads2", "reads at two threads"),
                           ("replay1", "requests with evictions"), ("replay2", "requests with evictions, two threads")]:
            ratio_goals("engine", other, name, what, 1)
    for other in ["ristretto", "hashicorp-lru", "bigcache", "rust-lru"]:
        for name, what in [("reads1", "reads at one thread"), ("replay1", "requests with evictions")]:
            ratio_goals("engine", other, name, what, 1.5)
    for name, what in [("reads", "reads"), ("replay", "requests with evictions")]:
        one, two = (rounds.median("engine", f"{name}{threads}") for threads in (1, 2))
        if one and two:
            goal(f"{what}, two threads over one, at least 1.7", two / one, two / one >= 1.7)
        load = [rounds.median("empty", f"{name}{threads}") for threads in (1, 2)]
        if all(load):
            print(f"         no cache at all: {load[1] / load[0]:.2f}, which is what this machine has to give")
    hits = [rounds.median("engine", f"hits{threads}") for threads in (1, 2)]
    if all(hits):
        apart = 100 * abs(hits[0] - hits[1])
        goal("hits of two threads from those of one, at most 0.1 points", apart, apart <= 0.1, "{:.3f}")
    for figure, what in [("readP99-2", "read among them"), ("p99-2", "request")]:
        ours, theirs = (rounds.median(subject, figure) for subject in ("engine", "caffeine"))
        if ours and theirs:
            goal(f"p99 of a {what} at two threads over caffeine's, at most 1", ours / theirs, ours <= theirs)
    ratio_goals("engine", "nscache", "reads1", "reads at one thread", 5)
    ratio_goals("engine", "locked-lru", "reads1", "reads at one thread", 0.5)
    ratio_goals("engine", "locked-lru", "replay1", "requests with evictions", 0.5)
    for subject, least in [("engine", 26.9), ("engine-bytes", 39.2), ("engine-expiry", 57.2)]:
        if subject not in chosen:
            continue
        value = memory.get(subject)
        goal(f"bytes an entry besides key and value, {subject}, at most {least}", value,
             value is not None and round(value, 1) <= least, "{:.1f}")
        others = ", ".join(f"{text(found, '{:.1f}')} at {size:,}" for size, found in sizes.get(subject, []))
        if others:
            print(f"         with other numbers of entries, for which jemalloc rounds up more or less: {others}")
    for side in ["sqlite", "file"] if "diskcache" in chosen else []:
        ratio_goal(f"diskcache's own benchmark, {side} over diskcache, at least 1",
                   rounds.ratio(side, "diskcache", "core"), 1)
    return missed


def parse():
    parser = argparse.ArgumentParser(prog="scripts/peers-live", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured, taking turns (default: 3)")
    parser.add_argument("--trace", default="zipf-1.0", help="a trace that assay knows (default: zipf-1.0)")
    parser.add_argument("--capacity", type=int, default=10_000, help="entries there is room for (default: 10000)")
    parser.add_argument("--value-bytes", type=int, default=256, help="length of a value (default: 256)")
    parser.add_argument("--subjects", help=f"separated by commas (default: all of {', '.join(SUBJECTS)})")
    parser.add_argument("--shorten", type=int, default=1, help="divide the requests by this")
    parser.add_argument("--json", metavar="FILE", help="write every measurement there")
    parser.add_argument("--assay", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.assay = os.path.abspath(options.assay)
    options.chosen = options.subjects.split(",") if options.subjects else list(SUBJECTS)
    unknown = set(options.chosen) - set(SUBJECTS)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    if options.rounds < 1 or options.shorten < 1:
        parser.error("--rounds and --shorten must be at least 1")
    return options


def main():
    options = parse()
    load = os.getloadavg()[0]
    print(f"{options.rounds} rounds, {options.trace}, {options.capacity:,} entries, keys of 20 bytes, values of "
          f"{options.value_bytes}; {os.cpu_count()} cores, load {load:.1f} at the start")
    if load > 0.5:
        print("  the machine is not quiet: trust ratios more than speeds, and neither much")
    for subject in options.chosen:
        print(f"  {subject:<17}{SUBJECTS[subject][0]}")
    with tempfile.TemporaryDirectory(prefix="assay-live-") as directory:
        run, rounds = Run(options, directory), Rounds()
        note("bytes per entry")
        memory = {subject: run.memory(subject) for subject in options.chosen}
        sizes = {subject: [(size, run.memory(subject, size)) for size in [5_000, 20_000, run.objects]]
                 for subject in ["engine-bytes", "engine-expiry"] if subject in options.chosen}
        operations = os.path.join(directory, "operations")
        write_operations(operations)
        for number in range(options.rounds):
            measure_round(run, rounds, options.chosen, number)
            if "diskcache" in options.chosen:
                measure_core(run, rounds, number, operations)
        print_table(rounds, options.chosen, memory)
        print_load(rounds, options.chosen)
        if "diskcache" in options.chosen:
            print_core(rounds)
        missed = print_goals(rounds, memory, sizes, options.chosen)
        if options.json:
            with open(options.json, "w") as file:
                json.dump({"options": {key: value for key, value in vars(options).items() if key != "assay"},
                           "loadAtStart": load, "memory": memory, "memoryBySize": sizes, "failures": run.failures,
                           "figures": {f"{subject} {name}": values
                                       for (subject, name), values in rounds.figures.items()}}, file, indent=2)
                file.write("\n")
    sys.exit(2 if missed else 0)


main()
