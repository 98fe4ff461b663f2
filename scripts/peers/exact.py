"""Hits of both over drawn traces, in objects and in bytes: exact to the request where both are deterministic."""

import json
import os
import random
import struct
import subprocess
from dataclasses import dataclass

from common import PeerFailure, Trace, fresh, note, peer

SHARES = [0.03, 0.1, 0.35]
# A replay begins with blocks after 65,536 requests at the earliest: the longest traces are for these, the others for single ones.
LENGTHS = [3000, 20000, 150000]
LEAST_CAPACITY = 20  # below it several of the peer's policies give their parts no room and crash
DEADLINE = 10  # seconds for a pass of the peer over some thousand requests: some never end in bytes


@dataclass
class Drawn:
    """A trace that was drawn, and what capacities it wants."""

    trace: Trace
    shape: str
    in_bytes: bool
    capacities: list


def compare(bench, pairs, count, first):
    """Compares every deterministic pair on that many traces; prints differences and how many cells were equal."""
    pairs = [pair for pair in pairs if pair.exact]
    print(f"\nEXACT HITS of {len(pairs)} policies over {count} drawn traces at {len(SHARES)} capacities each")
    equal, unanswered, different = 0, 0, []
    for seed in range(first, first + count):
        note(f"exact: trace {seed}")
        drawn = draw(bench, seed)
        ours = assay_hits(bench, drawn, pairs)
        for pair in pairs:
            for capacity in drawn.capacities:
                try:
                    theirs = peer(pair, drawn.trace, capacity, {}, DEADLINE)["hits"]
                except PeerFailure:
                    unanswered += 1
                    continue
                if theirs == ours[pair.name, capacity]:
                    equal += 1
                    continue
                cell = {"seed": seed, "policy": pair.same, "capacity": capacity, "inBytes": drawn.in_bytes,
                        "assay": ours[pair.name, capacity], "peer": theirs}
                different.append(cell)
                print(f"  {pair.same} at {capacity:,}{' bytes' if drawn.in_bytes else ''} on trace {seed} ({drawn.shape}, "
                      f"{drawn.trace.requests:,} requests): Assay {cell['assay']:,}, peer {theirs:,}", flush=True)
    print(f"{equal} cells equal, {len(different)} different, {unanswered} in which the peer crashed or did not end")
    print(f"  {'MISSED' if different else 'met':<6} exact hits: {len(different)} cells differ (target 0)")
    return {"equal": equal, "different": different, "unanswered": unanswered}


def assay_hits(bench, drawn, pairs):
    """The hits by policy and capacity, all in one run."""
    suffix = "B" if drawn.in_bytes else ""
    policies = [part for pair in pairs for part in ("--policy", pair.same)]
    out = fresh(bench.directory, "out")
    subprocess.run(
        [bench.assay, "run", "--quiet", *policies, "--trace", drawn.trace.raw, "--compiled-traces",
         fresh(bench.directory, "cold"), "--capacity", ",".join(f"{capacity}{suffix}" for capacity in drawn.capacities),
         "--out", out], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(out, "results.json")) as file:
        cells = json.load(file)["cells"]
    order = [(pair.name, capacity) for pair in pairs for capacity in drawn.capacities]
    assert [cell["capacity"] for cell in cells] == [capacity for _, capacity in order]
    return {key: cell["counts"]["hits"] for key, cell in zip(order, cells)}


def draw(bench, seed):
    """A trace with sizes of 1 or others, skewed, uniform, with scans or with phases."""
    dice = random.Random(seed)
    requests, objects = dice.choice(LENGTHS), dice.choice([50, 300, 2000])
    shape = dice.choice(["skewed", "uniform", "scans", "phases"])
    in_bytes = dice.random() >= 0.4
    widest = dice.choice([10, 50, 1000])
    ids = list(identifiers(dice, shape, requests, objects))
    sizes = {id: dice.randint(1, widest) if in_bytes else 1 for id in sorted(set(ids))}
    raw = os.path.join(bench.directory, f"drawn-{seed}.oracleGeneral")
    write(raw, ids, sizes)
    footprint = sum(sizes.values())
    capacities = sorted({max(LEAST_CAPACITY, int(footprint * share)) for share in SHARES})
    return Drawn(Trace(f"drawn-{seed}", [], raw, requests, len(sizes)), shape, in_bytes, capacities)


def identifiers(dice, shape, requests, objects):
    """The objects of the requests, of which the skewed are the more frequent the lower their number."""
    made, fresh_object = 0, objects
    while made < requests:
        skewed = int(objects ** dice.random()) - 1
        if shape == "scans" and dice.random() < 0.02:
            length = min(objects // 3, requests - made)
            yield from range(fresh_object, fresh_object + length)
            fresh_object += length if dice.random() < 0.5 else 0
            made += length
            continue
        phase = made // (requests // 5 + 1) * objects // 2 if shape == "phases" else 0
        yield dice.randrange(objects) if shape == "uniform" else (skewed + phase) % (2 * objects)
        made += 1


def write(path, ids, sizes):
    """An oracleGeneral file; an object's next request counts from 1, and -1 stands for none."""
    following, last = [-1] * len(ids), {}
    for place in range(len(ids) - 1, -1, -1):
        following[place] = last.get(ids[place], -1)
        last[ids[place]] = place
    with open(path, "wb") as file:
        for place, id in enumerate(ids):
            next_place = following[place] + 1 if following[place] >= 0 else -1
            file.write(struct.pack("<IQIq", place, id + 1, sizes[id], next_place))
