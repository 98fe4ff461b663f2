"""Replay speed of compiled traces: Assay and libCacheSim interleaved, one core each."""

import statistics

from common import PeerFailure, geometric_mean, hashpowers, note, peer, spread, verdict
from policies import SIMPLE

# A slow cell runs on the longest of these prefixes that stays within the budget.
PREFIXES = [10_000_000, 5_000_000, 2_000_000, 1_000_000, 500_000, 200_000, 50_000]
PROBE = 1_000_000


class Cell:
    """A policy at a capacity of a trace."""

    def __init__(self, bench, trace, pair, capacity, budget):
        self.bench, self.whole, self.pair, self.capacity, self.budget = bench, trace, pair, capacity, budget

    def run(self, rounds):
        """Measures the cell; returns its row."""
        row = {"trace": self.whole.name, "policy": self.pair.name, "peer": self.pair.theirs, "capacity": self.capacity,
               "same": self.pair.same, "default": self.pair.default or self.pair.same}
        lengths = [self.whole.requests] + [length for length in PREFIXES if length < self.whole.requests]
        hashpower, lengths = self.prepare(lengths)
        for length in lengths:
            trace = self.bench.prefix(self.whole, length)
            try:
                row["rounds"] = [self.round(trace, hashpower) for _ in range(rounds)]
            except PeerFailure as failure:
                note(f"  {self.pair.theirs} at {self.capacity:,}, {length:,} requests: {failure}")
                row["failure"] = str(failure)
                continue
            row.pop("failure", None)
            row.update(requests=length, hashpower=hashpower)
            break
        return row

    def prepare(self, lengths):
        """The hash table that suits the peer best here, and the lengths of the trace that fit into the budget."""
        for length in [PROBE] + [length for length in PREFIXES if length < PROBE]:
            if length > self.whole.requests:
                continue
            trace = self.bench.prefix(self.whole, length)
            try:
                speeds = {power: peer(self.pair, trace, self.capacity, {"hashpower": power}, self.budget)["speed"]
                          for power in hashpowers(self.capacity)}
                installed = peer(self.pair, trace, self.capacity, {}, self.budget)["speed"]
            except PeerFailure as failure:
                note(f"  {self.pair.theirs} at {self.capacity:,}, {length:,} requests: {failure}")
                continue
            fitting = [candidate for candidate in lengths if candidate / installed <= self.budget]
            return max(speeds, key=speeds.get), fitting or lengths[-1:]
        return hashpowers(self.capacity)[0], lengths if self.whole.requests < PREFIXES[-1] else []

    def round(self, trace, hashpower):
        """The peer as installed and tuned, and Assay with both rules, one after the other."""
        deadline = 4 * self.budget + 30
        installed = peer(self.pair, trace, self.capacity, {}, deadline)
        same = self.bench.replay(trace, self.pair.same, self.capacity)
        tuned = peer(self.pair, trace, self.capacity, {"hashpower": hashpower}, deadline)
        default = self.bench.replay(trace, self.pair.default, self.capacity) if self.pair.default else same
        bound = self.bench.bound(trace.arguments, passes=3)
        return {
            "installed": installed["speed"], "tuned": max(tuned["speed"], installed["speed"]), "same": same["speed"],
            "default": default["speed"], "bound": bound["requestsPerSecond"],
            "dependent": bound["dependentRequestsPerSecond"], "hits": same["hits"],
            "peerHits": installed["hits"], "peakBytes": max(same["peak"], default["peak"])}


def paired(row, ours, theirs):
    """Our speed over theirs, round by round."""
    return [entry[ours] / entry[theirs] for entry in row["rounds"]]


def middle(row, name):
    """The median of a figure over the rounds."""
    return statistics.median(entry[name] for entry in row["rounds"])


def heading():
    return (f"{'policy':<13} {'requests':>11} {'Assay':>6} {'bound':>6} {'waits':>6} {'peer':>6} {'times (min..max)':>20} {'tuned':>6} "
            f"{'times (min..max)':>20} {'hit ratio':>9} {'peer':>7}  rules")


def line(row):
    """A row of the table, and one more for Assay's own default where its rules are others."""
    if "rounds" not in row:
        return f"{row['policy']:<13} libCacheSim gives no result: {row.get('failure', 'not even on a prefix')}"
    requests = row["requests"]
    lines = []
    for ours in ["same"] + (["default"] if row["default"] != row["same"] else []):
        lines.append(
            f"{row['policy']:<13} {requests:>11,} {middle(row, ours) / 1e6:>6.1f} "
            f"{statistics.median(paired(row, ours, 'bound')):>6.1%} "
            f"{statistics.median(paired(row, ours, 'dependent')):>6.0%} "
            f"{middle(row, 'installed') / 1e6:>6.2f} {spread(paired(row, ours, 'installed')):>20} "
            f"{middle(row, 'tuned') / 1e6:>6.2f} {spread(paired(row, ours, 'tuned')):>20} "
            + (f"{row['rounds'][0]['hits'] / requests:>9.4f} {row['rounds'][0]['peerHits'] / requests:>7.4f}  {row['same']}"
               if ours == "same" else f"{'':>9} {'':>7}  {row['default']}"))
    return "\n".join(lines)


def compare(bench, traces, pairs, shares, rounds, budget):
    """Every policy at every share of the objects, on every trace; prints tables and the verdicts, returns the rows."""
    print("COMPILED REPLAY, one core each, requests in millions a second, medians of "
          f"{rounds} interleaved rounds, ratios paired by round")
    print("  peer: as installed (a hash table of 2^24 buckets); tuned: the best of three tables that suit the capacity")
    print(f"  a cell that would take the peer more than {budget:g} s runs on a prefix of the trace, for both")
    print("  rules: Assay with libCacheSim's rules; below it Assay's own default where people would run that")
    print("  bound: the share of the speed of a loop that only streams ids and reads 4 bytes of a random place each, "
          "fetched ahead")
    print("  waits: the same where each read depends on the one before, as what a policy does with a request does")
    rows = []
    for trace in traces:
        for share in shares:
            capacity = max(1, int(trace.objects * share))
            print(f"\n{trace.name}: {trace.requests:,} requests, {trace.objects:,} objects; "
                  f"capacity {capacity:,} objects ({share:.0%})")
            print(heading())
            for pair in pairs:
                note(f"{trace.name} {share:.0%} {pair.name}")
                row = Cell(bench, trace, pair, capacity, budget).run(rounds)
                row["share"] = share
                if "rounds" in row and pair.exact and row["rounds"][0]["hits"] != row["rounds"][0]["peerHits"]:
                    row["differs"] = True
                rows.append(row)
                print(line(row), flush=True)
    summarise(rows)
    return rows


def summarise(rows):
    """Prints means, minima and verdicts."""
    measured = [row for row in rows if "rounds" in row]
    if not measured:
        return
    print()
    for ours in ["same", "default"]:
        for theirs in ["installed", "tuned"]:
            ratios = {(row["policy"], row["trace"], row["capacity"]): statistics.median(paired(row, ours, theirs))
                      for row in measured}
            least = min(ratios, key=ratios.get)
            print(f"Assay ({'the same rules' if ours == 'same' else 'its defaults'}) over libCacheSim ({theirs}): "
                  f"geometric mean {geometric_mean(ratios.values()):.1f}, least {ratios[least]:.1f} "
                  f"({least[0]} at {least[2]:,} on {least[1]})")
            if ours == "same":
                judge(ratios)
    judge_bound(measured)
    for row in measured:
        if row.get("differs"):
            entry = row["rounds"][0]
            print(f"  the rules of {row['policy']} at {row['capacity']:,} on {row['trace']} are not the same: "
                  f"{entry['hits']:,} and {entry['peerHits']:,} hits")
    failed = len(rows) - len(measured)
    if failed:
        print(f"  {failed} cells without a result from libCacheSim are not in the means")
    peak = max(entry["peakBytes"] for row in measured for entry in row["rounds"])
    print(f"peak memory of an Assay process: {peak / 1e6:.0f} MB")


def judge(ratios):
    """The targets for the same rules."""
    print(verdict("geometric mean of all cells", geometric_mean(ratios.values()), 30))
    print(verdict("least of all cells", min(ratios.values()), 10))
    simple = [ratio for key, ratio in ratios.items() if key[0] in SIMPLE]
    if simple:
        print(verdict("least of LRU, FIFO, CLOCK and SIEVE", min(simple), 25))


def judge_bound(measured):
    """The targets for the distance to the machine."""
    loops = {"dependent": "whose reads wait for each other", "bound": "that fetches ahead"}
    for name in ["lru", "s3fifo"]:
        rows = [row for row in measured if row["policy"] == name]
        for loop, words in loops.items() if rows else []:
            shares = [100 * max(statistics.median(paired(row, ours, loop)) for ours in ["same", "default"]) for row in rows]
            print(verdict(f"least share of a loop {words}, {name}", min(shares), 40, " %"))
