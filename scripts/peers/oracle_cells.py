"""Exact counts of libCacheSim 0.3.5 over traces that this repository has: Tests/oracle/libcachesim.tsv, for OracleTests.

    python3 -m venv .build/peers && .build/peers/bin/pip install libcachesim==0.3.5
    .build/peers/bin/python scripts/peers/oracle_cells.py .build/release/assay       makes the table, then compares Assay with it
    python3 scripts/peers/oracle_cells.py --check .build/release/assay               only compares; needs no libCacheSim

Assay writes the traces as files, which both read. Prints each count that differs and ends with status 2 if one does.
"""

import argparse
import csv
import ctypes
import importlib.util
import json
import multiprocessing
import os
import signal
import struct
import sys
import tempfile

from common import RECORD_BYTES, Bench, note, temporary_directory

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join("Tests", "oracle")
TABLE = os.path.join(ROOT, FOLDER, "libcachesim.tsv")
COUNTS = ["misses", "missed_bytes", "objects", "weight"]
COLUMNS = ["trace", "unit", "capacity", "theirs", "ours", *COUNTS, "error"]
DEADLINE = 20  # seconds for what takes libCacheSim less than one; its LFUDA may never end
SEED = 1  # Assay's default
LARGEST_FILTER = 10_000_000  # bytes of capacity, for which the filter of W-TinyLFU takes 570 MB

ABOUT = f"""\
Exact counts of libCacheSim 0.3.5, the package of that version from PyPI, over traces of this repository; "ours" is the policy of
Assay that must give the same. Made and checked by scripts/peers/oracle_cells.py, whose first lines say how.
misses: the requests that missed; missed_bytes: their bytes. objects, weight: what is resident at the end, and its bytes.
error: why libCacheSim gave no result: the signal that ended it, or "no end" within {DEADLINE} s.
Left out are
- policies that draw from a generator, but for fifo-merge, which drew from one seeded with {SEED};
- mru and fifo-reinsertion-merge, which are not in the package, and fifo-reinsertion, its other name for clock;
- wtinyLFU above {LARGEST_FILTER:,} bytes: its filter takes 57 bytes of memory for each byte of capacity;
- capacities below 20 objects, at which several policies abort.
"""

# The capacities in objects and those in bytes: about 1, 5, 10, 20, 50 and 80 % of the whole, and the least ones.
TRACES = {
    "build-files": ([20, 42, 84, 168, 421, 674], [100_000, 1_000_000, 4_450_105, 22_250_525, 89_002_100]),
    "sort-pages": ([20, 90, 181, 361, 722, 1444], []),
    "sqlite-pages": ([20, 47, 234, 468, 936, 2341], []),
    "sized-scans": ([20, 60, 300, 600, 1200, 3600], [700, 4_067, 20_336, 40_673, 81_346, 244_037]),
}

# As OracleMapping.swift names libCacheSim's rules, by their name and parameters on its command line; what makes such a cache in the
# Python package, without "_init"; and Assay's policy.
POLICIES = [
    ("fifo", "FIFO", "fifo"),
    ("lru", "LRU", "lru"),
    ("lfu", "LFU", "lfu"),
    ("lfucpp", "LFUCpp", "lfu"),
    ("clock", "Clock", "clock"),
    ("clock n-bit-counter=2", "Clock", "clock:bits=2"),
    ("clock n-bit-counter=3", "Clock", "clock:bits=3"),
    ("sieve", "Sieve", "sieve"),
    ("slru", "SLRU", "s4lru:dialect=libcachesim"),
    ("slru n-seg=2", "SLRU", "slru:shares=1:1,dialect=libcachesim"),
    ("slru seg-size=1:4", "SLRU", "slru:shares=1:4,dialect=libcachesim"),
    ("2q", "TwoQ", "2q:dialect=libcachesim"),
    ("arc", "ARC", "arc:dialect=libcachesim"),
    ("arcv0", "ARCv0", "arc:dialect=libcachesim-v0"),
    ("s3fifo", "S3FIFO", "s3fifo:dialect=libcachesim"),
    ("s3fifo ghost-size-ratio=0", "S3FIFO", "s3fifo:ghost=0,dialect=libcachesim"),
    ("s3fifo move-to-main-threshold=1", "S3FIFO", "s3fifo:threshold=1,dialect=libcachesim"),
    ("s3fifov0", "S3FIFOv0", "s3fifo:dialect=libcachesim-v0"),
    ("belady", "Belady", "belady"),
    ("size", "Size", "size:dialect=libcachesim"),
    ("CAR", "CAR", "car:dialect=libcachesim"),
    ("clockpro", "ClockPro", "clock-pro:dialect=libcachesim"),
    ("lirs", "LIRS", "lirs:dialect=libcachesim"),
    ("mq", "MQ", "mq:dialect=libcachesim"),
    ("s3fifod", "S3FIFOd", "s3fifo-d:dialect=libcachesim"),
    ("fifo-merge", "FIFO_Merge", "fifo-merge:dialect=libcachesim"),
    ("qdlp", "QDLP", "qdlp:dialect=libcachesim"),
    ("clock2qplus", "Clock2QPlus", "clock2q-plus:dialect=libcachesim"),
    ("gdsf", "GDSF", "gdsf:dialect=libcachesim"),
    ("lfuda", "LFUDA", "lfuda:dialect=libcachesim"),
    ("lru-k", "LRU_K", "lru-k:dialect=libcachesim"),
    ("lru-k k=1", "LRU_K", "lru-k:k=1,dialect=libcachesim"),
    ("lru-k k=3", "LRU_K", "lru-k:k=3,dialect=libcachesim"),
    ("wtinyLFU", "WTinyLFU", "w-tinylfu:dialect=libcachesim"),
    ("wtinyLFU main-cache=LRU", "WTinyLFU", "w-tinylfu:protected=0,dialect=libcachesim"),
    ("wtinyLFU window-size=0.10", "WTinyLFU", "w-tinylfu:window=0.1,dialect=libcachesim"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare Assay with the table as it is")
    parser.add_argument("assay", help="the assay executable, best an optimised one")
    arguments = parser.parse_args()
    if not os.access(arguments.assay, os.X_OK):
        parser.error(f"{arguments.assay} is no program: build it with 'swift build -c release --product assay'")
    if not arguments.check and importlib.util.find_spec("libcachesim") is None:
        parser.error("libcachesim is not installed for this Python; the first lines of this script say how to install it")
    with temporary_directory() as directory:
        bench = Bench(os.path.abspath(arguments.assay), directory)
        traces = {name: export(bench, name) for name in TRACES}
        if not arguments.check:
            write([cell for name, trace in traces.items() for cell in cells(name, trace)])
        different = [text for name, trace in traces.items() for text in differences(bench, name, trace)]
    print("\n".join([*different, f"{len(different)} of {len(read())} cells differ"]))
    sys.exit(2 if different else 0)


def export(bench, name):
    """A trace as an oracleGeneral file: libCacheSim's Belady insists on that word in the path."""
    raw = os.path.join(bench.directory, f"{name}.oracleGeneral")
    folder = next(folder for folder in [FOLDER, "Workloads"] if os.path.exists(os.path.join(ROOT, folder, f"{name}.yaml")))
    bench.call("export", os.path.join(ROOT, folder, f"{name}.yaml"), raw, "--compiled-traces", bench.compiled())
    return raw


def cells(name, trace):
    """What libCacheSim counts over a trace, as rows of the table."""
    import libcachesim  # noqa: F401  once, and not in every process that is forked

    for unit, capacities in zip(["objects", "bytes"], TRACES[name]):
        sizes = read_sizes(trace) if unit == "bytes" else [1] * (os.path.getsize(trace) // RECORD_BYTES)
        for capacity in capacities:
            note(f"{name} at {capacity:,} {unit}")
            for theirs, initialiser, ours in POLICIES:
                if initialiser == "WTinyLFU" and capacity > LARGEST_FILTER:
                    continue
                row = {"trace": name, "unit": unit, "capacity": capacity, "theirs": theirs, "ours": ours}
                answer = peer(initialiser, theirs.partition(" ")[2], trace, unit == "bytes", capacity)
                if isinstance(answer, str):
                    yield row | {"error": answer}
                    continue
                missed, missed_bytes, objects, weight = answer
                row |= {"misses": whole(missed * len(sizes)), "objects": objects}
                if unit == "bytes":
                    row |= {"missed_bytes": whole(missed_bytes * sum(sizes)), "weight": weight}
                yield row


def read_sizes(trace):
    """The sizes of the requests in an oracleGeneral file."""
    with open(trace, "rb") as file:
        return [size for _, _, size, _ in struct.iter_unpack("<IQIq", file.read())]


def whole(count):
    """The number that libCacheSim divided to print a ratio."""
    assert abs(count - round(count)) < 0.01, count
    return round(count)


def peer(initialiser, settings, trace, in_bytes, capacity):
    """The ratios and what is resident at the end of one pass of libCacheSim, or why there are none.

    A process of its own may crash and can be stopped; it is forked, since loading the package takes longer than most passes.
    """
    receiving, sending = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(
        target=replay, args=(sending, initialiser, settings, trace, in_bytes, capacity))
    process.start()
    sending.close()
    try:
        return receiving.recv()
    except EOFError:
        process.join()
        if process.exitcode >= 0:
            sys.exit(f"libCacheSim's {initialiser} with '{settings}' ended with status {process.exitcode}")
        return "no end" if process.exitcode == -signal.SIGALRM else signal.Signals(-process.exitcode).name
    finally:
        process.join()


def replay(answer, initialiser, settings, trace, in_bytes, capacity):
    """One pass, in a process of its own, which the system ends when its time is over."""
    signal.alarm(DEADLINE)
    from libcachesim import libcachesim_python as core

    # What it logs is no part of the result.
    for descriptor in [1, 2]:
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    ctypes.CDLL(core.__file__).set_rand_seed(ctypes.c_uint64(SEED))
    parameters = core.ReaderInitParam()
    parameters.ignore_obj_size = not in_bytes
    reader = core.Reader(trace, core.TraceType.ORACLE_GENERAL_TRACE, parameters)
    # Smaller tables than those of 128 MiB that it makes unasked; no result here depends on their size.
    cache = getattr(core, initialiser + "_init")(core.CommonCacheParams(capacity, hashpower=16), settings)
    missed, missed_bytes = core.c_process_trace(cache, reader)
    answer.send((missed, missed_bytes, cache.get_n_obj(), cache.get_occupied_byte()))


def write(rows):
    """Writes the table."""
    with open(TABLE, "w", newline="") as file:
        file.writelines(f"# {line}\n" for line in ABOUT.splitlines())
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(rows)


def read():
    """The rows of the table that have a result."""
    with open(TABLE, newline="") as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t")
        return [row for row in rows if not row["error"]]


def differences(bench, name, trace):
    """Assay's counts over a trace that are not those of the table."""
    groups = {}
    for row in read():
        if row["trace"] == name:
            groups.setdefault((row["unit"], row["capacity"]), []).append(row)
    for (unit, capacity), rows in groups.items():
        found = assay_counts(bench, trace, list({row["ours"]: None for row in rows}), capacity, unit)
        for row in rows:
            for count in COUNTS:
                if row[count] and int(row[count]) != found[row["ours"]][count]:
                    yield (f"{name} at {capacity} {unit}, {row['theirs']} = {row['ours']}: "
                           f"{count} {found[row['ours']][count]} instead of {row[count]}")


def assay_counts(bench, trace, policies, capacity, unit):
    """The counts by policy, all from one run."""
    out = tempfile.mkdtemp(dir=bench.directory)
    options = [part for policy in policies for part in ("--policy", policy)]
    bench.call("run", "--quiet", "--jobs", "1", "--seed", str(SEED), "--trace", trace, *options, "--capacity",
               capacity + ("B" if unit == "bytes" else ""), "--compiled-traces", bench.compiled(), "--out", out)
    with open(os.path.join(out, "results.json")) as file:
        counts = [cell["counts"] for cell in json.load(file)["cells"]]
    assert len(counts) == len(policies)
    return {policy: {"misses": cell["requests"] - cell["hits"], "missed_bytes": cell["bytesRequested"] - cell["bytesHit"],
                     "objects": cell["residentObjects"], "weight": cell["residentWeight"]}
            for policy, cell in zip(policies, counts)}


if __name__ == "__main__":
    main()
