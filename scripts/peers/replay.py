"""Replay speed of Assay against libCacheSim 0.3.5, interleaved, one core each; called by scripts/peers-replay."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import libcachesim as lcs

PEERS = {
    "fifo": lcs.FIFO, "lru": lcs.LRU, "clock": lcs.Clock, "sieve": lcs.Sieve, "slru": lcs.SLRU, "2q": lcs.TwoQ,
    "arc": lcs.ARC, "lfu": lcs.LFU, "s3fifo": lcs.S3FIFO, "w-tinylfu": lcs.WTinyLFU, "belady": lcs.Belady,
    "random": lcs.Random,
}


# The peer's hash table has 2^hashpower buckets whatever the capacity; a small one stays in the processor's cache.
TUNED = (15, 16, 17)

# Started by a small process of its own: a child begins with the peak of whoever forks it, and this one maps the trace.
LAUNCHER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss * 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run_measured(command):
    """Runs a command; returns its peak resident memory in bytes."""
    launched = subprocess.run([sys.executable, "-c", LAUNCHER, *command], stdout=subprocess.PIPE, text=True)
    if launched.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with status {launched.returncode}")
    return int(launched.stdout)


def assay(arguments, policy, directory):
    """One replay by Assay: requests a second of the compiled trace, hit ratio, peak memory of the process."""
    out = os.path.join(directory, "assay")
    peak = run_measured([
        arguments.assay, "run", "--quiet", "--jobs", "1", "--trace", arguments.workload, "--policy", policy,
        "--capacity", str(arguments.capacity), "--out", out])
    with open(os.path.join(out, "results.json")) as file:
        results = json.load(file)
    cell = results["cells"][0]
    counts = cell["counts"]
    return cell["requestsPerSecond"], counts["hits"] / counts["requests"], peak, results["traces"][0]


def peer(arguments, policy, trace, requests, settings):
    """One replay by libCacheSim: requests a second, hit ratio."""
    # Its Belady insists on the trace type in the path; sizes are 1, so bytes are objects.
    reader = lcs.TraceReader(trace, lcs.TraceType.ORACLE_GENERAL_TRACE)
    cache = PEERS[policy](cache_size=arguments.capacity, **settings)
    start = time.perf_counter()
    miss_ratio, _ = cache.process_trace(reader)
    return requests / (time.perf_counter() - start), 1 - miss_ratio


def measure(arguments, policy, trace, requests, directory):
    """One round: the peer as installed, the peer tuned, and Assay, one after the other."""
    default, hits = peer(arguments, policy, trace, requests, {})
    tuned = max(peer(arguments, policy, trace, requests, {"hashpower": power})[0] for power in TUNED)
    ours = assay(arguments, policy, directory)
    return {"assay": ours[0], "default": default, "tuned": max(default, tuned), "hits": ours[1], "peer hits": hits,
            "peak": ours[2]}


def median(rows, name):
    """The median of one figure over the rounds."""
    return statistics.median(row[name] for row in rows)


def ratios(rows, name):
    """The peer's speed, and the median and range of Assay's over it, paired by round."""
    paired = [row["assay"] / row[name] for row in rows]
    return (f"{median(rows, name) / 1e6:>6.2f} {statistics.median(paired):>6.1f} "
            f"{f'{min(paired):.1f}..{max(paired):.1f}':>13}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--workload", default="zipf-20m")
    parser.add_argument("--capacity", type=int, default=10_000)
    parser.add_argument("--policies", default="lru,sieve,s3fifo")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    policies = arguments.policies.split(",")
    unknown = [policy for policy in policies if policy not in PEERS]
    if unknown:
        sys.exit(f"libCacheSim has no {', '.join(unknown)}; choose from {', '.join(PEERS)}")

    with tempfile.TemporaryDirectory() as directory:
        trace = os.path.join(directory, "trace.oracleGeneral")
        subprocess.run([arguments.assay, "export", arguments.workload, trace], check=True, stdout=subprocess.DEVNULL)
        empty = run_measured([arguments.assay, "--version"])
        description = assay(arguments, policies[0], directory)[3]  # compiles the trace and warms the page cache
        requests, objects = description["requests"], description["objects"]
        print(f"{arguments.workload}: {requests:,} requests, {objects:,} objects; capacity {arguments.capacity:,} objects")
        print(f"libCacheSim {getattr(lcs, '__version__', '0.3.5')}: as installed (hashpower 24), and tuned to this capacity "
              f"(the fastest of hashpower {', '.join(map(str, TUNED))})")
        print(f"{arguments.rounds} rounds, interleaved, one core each; medians of millions of requests a second, ratios paired")
        print(f"{'policy':<10} {'Assay':>7} {'peer':>6} {'ratio':>6} {'min..max':>13} {'tuned':>6} {'ratio':>6} {'min..max':>13} "
              f"{'hit ratio':>10} {'peer':>7} {'peak MB':>8}")
        bound = 20 * requests + 32 * objects
        worst_peak = 0
        for policy in policies:
            rows = [measure(arguments, policy, trace, requests, directory) for _ in range(arguments.rounds)]
            peak = max(row["peak"] for row in rows) - empty
            worst_peak = max(worst_peak, peak)
            print(f"{policy:<10} {median(rows, 'assay') / 1e6:>7.1f} {ratios(rows, 'default')} {ratios(rows, 'tuned')} "
                  f"{rows[0]['hits']:>10.4f} {rows[0]['peer hits']:>7.4f} {peak / 1e6:>8.1f}")
        print(f"peak memory over an empty process: {worst_peak / 1e6:.1f} MB; "
              f"20 bytes a request and 32 an object would be {bound / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
