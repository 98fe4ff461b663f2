"""Assay against libCacheSim 0.3.5 in one run; called by scripts/peers-replay, which says what it does."""

import argparse
import json
import os
import platform
import sys

import exact
import replay
import wholes
from common import Bench, note, temporary_directory
from policies import PAIRS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RECORDED = os.path.join(ROOT, "..", "shared", "traces", "cloudphysics-w106.trace.xz")


def parse():
    parser = argparse.ArgumentParser(
        prog="scripts/peers-replay", description="Compares the speed and the hits of Assay with libCacheSim 0.3.5.")
    parts = parser.add_argument_group("what to compare (default: --replay)")
    parts.add_argument("--replay", action="store_true", help="replay of compiled traces, and the machine's bound")
    parts.add_argument("--cold", action="store_true", help="one policy, one size, from the raw file, nothing cached")
    parts.add_argument("--sweep", action="store_true", help="12 policies at 8 sizes from the raw file, all cores")
    parts.add_argument("--scaling", action="store_true", help="2, 20 and 200 million requests for the same objects")
    parts.add_argument("--curve", action="store_true", help="the exact LRU curve in replays of LRU")
    parts.add_argument("--exact", action="store_true", help="hits over small drawn traces, in objects and in bytes")
    parts.add_argument("--all", action="store_true", help="everything")
    parser.add_argument("--policies", help=f"separated by commas (default: all of {', '.join(p.name for p in PAIRS)})")
    parser.add_argument("--traces", default="zipf,real", help="zipf (20 million requests), real (one recorded trace), or "
                        "names of workloads without sizes")
    parser.add_argument("--capacities", default="1%,10%", help="shares of the objects, for --replay")
    parser.add_argument("--rounds", type=int, help="how often each is measured (replay 3, cold 5, sweep 1, others 3), or "
                        "of how many traces the hits are compared (6)")
    parser.add_argument("--seed", type=int, default=1, help="of the first drawn trace, for --exact (default: 1)")
    parser.add_argument("--budget", type=float, default=20, help="seconds for a pass of libCacheSim before the trace is "
                        "cut, for both (default: 20)")
    parser.add_argument("--json", metavar="FILE", help="write every measurement there")
    parser.add_argument("--assay", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--cachesim", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.all:
        arguments.replay = arguments.cold = arguments.sweep = arguments.scaling = arguments.curve = arguments.exact = True
    if not any([arguments.cold, arguments.sweep, arguments.scaling, arguments.curve, arguments.exact]):
        arguments.replay = True
    if arguments.rounds is not None and arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    try:
        arguments.shares = [float(text.rstrip("%")) / 100 for text in arguments.capacities.split(",")]
    except ValueError:
        parser.error("--capacities are shares as 1%,10%")
    names = arguments.policies.split(",") if arguments.policies else [pair.name for pair in PAIRS]
    unknown = set(names) - {pair.name for pair in PAIRS}
    if unknown:
        parser.error(f"libCacheSim has no {', '.join(sorted(unknown))}")
    arguments.pairs = [pair for pair in PAIRS if pair.name in names]
    return arguments


def open_trace(bench, name):
    """A trace by the name that --traces gives it."""
    note(f"preparing {name}")
    if name == "zipf":
        return bench.trace("zipf-20m", "zipf-20m")
    if name != "real":
        return bench.trace(name, name)
    if os.path.exists(RECORDED):
        return bench.trace("cloudphysics-w106", RECORDED, "cloud-physics")
    return bench.trace("sqlite-pages", "sqlite-pages")


def main():
    arguments = parse()
    results = {"peer": "libCacheSim 0.3.5", "machine": platform.processor() or platform.machine(),
               "cores": os.cpu_count(), "loadAtStart": os.getloadavg()[0]}
    print(f"Assay against libCacheSim 0.3.5; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    if os.getloadavg()[0] > 0.5:
        print("  the machine is not quiet: trust ratios more than speeds, and neither much")
    with temporary_directory() as directory:
        bench = Bench(arguments.assay, directory)
        names = arguments.traces.split(",")
        needed = names if arguments.replay else []
        if arguments.cold or arguments.sweep or arguments.curve:
            needed = names[:1] + needed[1:]
        traces = [open_trace(bench, name) for name in needed]
        if arguments.replay:
            results["replay"] = replay.compare(
                bench, traces, arguments.pairs, arguments.shares, arguments.rounds or 3, arguments.budget)
        if arguments.curve:
            results["curve"] = wholes.curve(bench, traces[0], arguments.rounds or 3)
        if arguments.cold:
            pairs = arguments.pairs if arguments.policies else [p for p in PAIRS if p.name in ("lru", "sieve", "s3fifo")]
            results["cold"] = wholes.cold(bench, traces[0], pairs, arguments.rounds or 5)
        if arguments.sweep:
            results["sweep"] = wholes.sweep(bench, traces[0], arguments.rounds or 1, arguments.cachesim)
        if arguments.scaling:
            results["scaling"] = wholes.scaling(bench, arguments.rounds or 3)
        if arguments.exact:
            results["exact"] = exact.compare(bench, arguments.pairs, arguments.rounds or 6, arguments.seed)
        if arguments.json:
            with open(arguments.json, "w") as file:
                json.dump(results, file, indent=1)
                file.write("\n")
    return 1 if results.get("exact", {}).get("different") else 0


if __name__ == "__main__":
    sys.exit(main())
