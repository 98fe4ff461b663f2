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


def run_measured(command):
    """Runs a command; returns its peak resident memory in bytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with status {process.returncode}")
    return usage.ru_maxrss * 1024


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


def peer(arguments, policy, trace, requests, hashpower):
    """One replay by libCacheSim: requests a second, hit ratio."""
    # Its Belady insists on the trace type in the path; sizes are 1, so bytes are objects.
    reader = lcs.TraceReader(trace, lcs.TraceType.ORACLE_GENERAL_TRACE)
    cache = PEERS[policy](cache_size=arguments.capacity, hashpower=hashpower)
    start = time.perf_counter()
    miss_ratio, _ = cache.process_trace(reader)
    return requests / (time.perf_counter() - start), 1 - miss_ratio


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
        print(f"libCacheSim {getattr(lcs, '__version__', '0.3.5')}, the faster of hashpower 17 and 24 in each round; "
              f"{arguments.rounds} rounds, interleaved; medians")
        print(f"{'policy':<10} {'Assay M/s':>10} {'peer M/s':>9} {'ratio':>7} {'min..max':>15} "
              f"{'Assay hits':>11} {'peer hits':>10} {'peak MB':>8}")
        bound = 20 * requests + 32 * objects
        worst_peak = 0
        for policy in policies:
            rows = []
            for _ in range(arguments.rounds):
                theirs = max(peer(arguments, policy, trace, requests, power) for power in (17, 24))
                ours = assay(arguments, policy, directory)
                rows.append((ours[0], theirs[0], ours[1], theirs[1], ours[2] - empty))
            ratios = [ours / theirs for ours, theirs, *_ in rows]
            peak = max(row[4] for row in rows)
            worst_peak = max(worst_peak, peak)
            print(f"{policy:<10} {statistics.median(r[0] for r in rows) / 1e6:>10.1f} "
                  f"{statistics.median(r[1] for r in rows) / 1e6:>9.2f} {statistics.median(ratios):>7.1f} "
                  f"{min(ratios):>6.1f} ..{max(ratios):>6.1f} {rows[0][2]:>11.4f} {rows[0][3]:>10.4f} {peak / 1e6:>8.1f}")
        print(f"peak memory over an empty process: {worst_peak / 1e6:.1f} MB; "
              f"20 bytes a request and 32 an object would be {bound / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
