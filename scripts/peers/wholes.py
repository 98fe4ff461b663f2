"""Comparisons of whole runs: from a raw file, sweeps, the exact LRU curve, and traces of growing length."""

import concurrent.futures
import os
import re
import statistics

from common import Trace, fresh, note, peer, spread, timed, verdict
from policies import SWEPT

SWEEP_SHARES = [0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.8]
SCALING_POLICIES = ["lru", "sieve", "s3fifo", "arc"]
SCALING_OBJECTS = 50_000


def cold(bench, trace, pairs, rounds):
    """One policy, one size, from the raw file, nothing cached: the whole assay process against the peer's own reading."""
    capacity = max(1, trace.objects // 100)
    print(f"\nCOLD RUN from {os.path.getsize(trace.raw) / 1e6:.0f} MB of oracleGeneral in the page cache, "
          f"capacity {capacity:,}, {rounds} interleaved rounds")
    print("  Assay: the whole process, with compiling into an empty store and writing the reports")
    print("  peer: opening the file and process_trace, without the start of Python")
    rows = []
    for pair in pairs:
        row = {"policy": pair.name, "capacity": capacity, "assay": [], "peer": []}
        for _ in range(rounds):
            note(f"cold {pair.name}")
            row["assay"].append(timed(assay_run(bench, trace, pair.same, str(capacity), ["--jobs", "1"])))
            row["peer"].append(peer(pair, trace, capacity, {}, 600)["secondsWithOpening"])
        row["ratios"] = [theirs / ours for theirs, ours in zip(row["peer"], row["assay"])]
        rows.append(row)
        print(f"{pair.name:<13} Assay {statistics.median(row['assay']):.2f} s, "
              f"peer {statistics.median(row['peer']):.2f} s, times {spread(row['ratios'])}", flush=True)
    print(verdict("least", min(statistics.median(row["ratios"]) for row in rows), 10))
    return rows


def assay_run(bench, trace, policies, capacities, extra):
    """The command of a run that starts with nothing cached."""
    return [bench.assay, "run", "--quiet", *extra, "--trace", trace.raw, "--policy", policies, "--capacity", capacities,
            "--compiled-traces", fresh(bench.directory, "cold"), "--out", fresh(bench.directory, "out")]


def sweep(bench, trace, rounds, cachesim):
    """Twelve policies at eight sizes, cold, all cores, against the peer's multi-threaded sweep."""
    cores = len(os.sched_getaffinity(0))
    capacities = [max(1, int(trace.objects * share)) for share in SWEEP_SHARES]
    theirs = (f"libCacheSim's cachesim with {cores} threads" if cachesim
              else f"libCacheSim's Python package in {cores} processes, for its cachesim could not be built")
    print(f"\nSWEEP of {len(SWEPT)} policies at {len(capacities)} sizes, cold, {trace.requests:,} requests, "
          f"{cores} cores; peer: {theirs}")
    row = {"policies": [pair.name for pair in SWEPT], "capacities": capacities, "cores": cores, "peerProgram": theirs,
           "assay": [], "peer": []}
    joined = ",".join(map(str, capacities))
    for _ in range(rounds):
        note("sweep: assay")
        row["assay"].append(timed(
            assay_run(bench, trace, ",".join(pair.same for pair in SWEPT), joined, ["--jobs", str(cores)])))
        note("sweep: libCacheSim")
        row["peer"].append(peer_sweep(bench, trace, capacities, joined, cores, cachesim))
    row["ratios"] = [theirs / ours for theirs, ours in zip(row["peer"], row["assay"])]
    print(f"Assay {statistics.median(row['assay']):.1f} s, peer {statistics.median(row['peer']):.1f} s, "
          f"times {spread(row['ratios'])}")
    print(verdict("sweep", statistics.median(row["ratios"]), 60))
    return row


def peer_sweep(bench, trace, capacities, joined, cores, cachesim):
    """The seconds of the peer's sweep."""
    if cachesim:
        out = os.path.join(bench.directory, "cachesim")
        if os.path.exists(out):
            os.remove(out)  # it appends
        seconds = timed([cachesim, trace.raw, "oracleGeneral", ",".join(pair.command for pair in SWEPT), joined,
                         "--ignore-obj-size", "1", "--num-thread", str(cores), "-o", out], cwd=bench.directory)
        with open(out) as file:
            results = sum("miss ratio" in line for line in file)
        if results != len(SWEPT) * len(capacities):
            print(f"  cachesim gave only {results} of {len(SWEPT) * len(capacities)} results")
        return seconds
    cells = [(pair, capacity) for pair in SWEPT for capacity in capacities]
    with concurrent.futures.ThreadPoolExecutor(cores) as pool:
        # Each pass is a process; what Python takes to start is not counted, as if one process did them all.
        passes = list(pool.map(lambda cell: peer(cell[0], trace, cell[1], {}, 3600)["secondsWithOpening"], cells))
    return sum(passes) / cores


def curve(bench, trace, rounds):
    """The exact LRU curve for all sizes, in replays of LRU at a tenth of the objects."""
    print(f"\nEXACT LRU CURVE of {trace.name}")
    if not re.search(r"^  curve ", bench.call("--help"), re.MULTILINE):
        print("  not measured: this assay has no command 'curve'")
        return None
    opening, whole, replays = [], [], []
    for _ in range(rounds):
        note("curve")
        arguments = trace.arguments
        opening.append(timed([bench.assay, "trace", "print", "-n", "1", *arguments[1:]]))
        whole.append(timed([bench.assay, "curve", "--quiet", *arguments, "--policy", "lru", "--method", "exact",
                            "--jobs", "1", "--out", fresh(bench.directory, "out")]))
        replays.append(trace.requests / bench.replay(trace, "lru", max(1, trace.objects // 10))["speed"])
    ratios = [(all_ - start) / replay for all_, start, replay in zip(whole, opening, replays)]
    print(f"the process less opening the trace {statistics.median(whole) - statistics.median(opening):.2f} s, "
          f"a replay of LRU {statistics.median(replays):.3f} s, replays {spread(ratios)}")
    median = statistics.median(ratios)
    print(f"  {'met' if median <= 4 else 'MISSED':<6} exact LRU curve: {median:.1f} replays (target at most 4)")
    return {"process": whole, "opening": opening, "replay": replays, "replays": ratios}


def scaling(bench, rounds):
    """Requests a second of 2, 20 and 200 million requests for the same objects."""
    print(f"\nSCALING: Zipf(1.0) over {SCALING_OBJECTS:,} objects, capacity {SCALING_OBJECTS // 10:,}, "
          f"requests in millions a second, medians of {rounds} interleaved rounds")
    traces = [generated(bench, millions) for millions in [2, 20, 200]]
    print("  " + "; ".join(f"{trace.requests:,} requests, {trace.objects:,} objects" for trace in traces))
    rows, worst = [], 0
    for policy in SCALING_POLICIES:
        speeds = {trace.requests: [] for trace in traces}
        for _ in range(rounds):
            note(f"scaling {policy}")
            for trace in traces:
                # A short replay is soon disturbed: the best of several counts, which take about as long together.
                repeats = max(1, min(5, 100_000_000 // trace.requests))
                speeds[trace.requests].append(
                    max(bench.replay(trace, policy, SCALING_OBJECTS // 10)["speed"] for _ in range(repeats)))
        medians = [statistics.median(values) for values in speeds.values()]
        apart = 100 * (max(medians) / min(medians) - 1)
        worst = max(worst, apart)
        rows.append({"policy": policy, "speeds": speeds, "percentApart": apart})
        print(f"{policy:<13} " + "  ".join(f"{value / 1e6:7.1f}" for value in medians) + f"   {apart:.1f} % apart",
              flush=True)
    print(f"  {'met' if worst <= 25 else 'MISSED':<6} cost grows linearly: at most {worst:.1f} % apart (target 25 %)")
    return rows


def generated(bench, millions):
    """A Zipf trace of that length, compiled into a store that ends with this run."""
    note(f"scaling: making {millions} million requests")
    path = os.path.join(bench.directory, f"zipf-{millions}m.yaml")
    with open(path, "w") as file:
        file.write("kind: generated\ndescription: Zipf for a comparison of lengths.\norigin: this script\n"
                   "licence: CC0-1.0\ngenerator: zipf\nexponent: 1.0\n"
                   f"requests: {millions}_000_000\nobjects: {SCALING_OBJECTS}\nseed: 1\n")
    arguments = ["--trace", path, "--compiled-traces", bench.compiled()]
    bound = bench.bound(arguments, passes=1)
    return Trace(f"zipf-{millions}m", arguments, "", bound["requests"], bound["objects"])
