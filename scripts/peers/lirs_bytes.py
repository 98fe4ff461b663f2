"""Hits of libCacheSim's LIRS in bytes over traces that are drawn here, for LIRSBytesTests.swift, which draws the same.

Usage: .build/peers/bin/python scripts/peers/lirs_bytes.py [SEED…]      (scripts/peers-replay installs libCacheSim there)
Prints a line a seed: seed, share of the HIR objects in bytes, capacity in bytes, requests, hits.
"""

import sys

import libcachesim as lcs

REQUESTS = 12_000
SEEDS = range(1, 25)


class Draws:
    """Knuth's linear congruential generator; the upper 31 bits of its state are drawn from."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound


def draw(seed):
    """The share of the HIR objects, the capacity, and the requests as object and size; no size exceeds the share by more than 2."""
    draws = Draws(seed)
    share = (5, 10, 50, 100, 300)[draws.below(5)]
    capacity = 100 * share + draws.below(100)
    objects = (300, 1000, 5000)[draws.below(3)]
    near = draws.below(2) == 1
    sizes, requests = {}, []
    for _ in range(REQUESTS):
        id = draws.below(1 + draws.below(objects))
        if id not in sizes:
            least = max(1, share * 7 // 10) if near else 1
            sizes[id] = least + draws.below(share + 3 - least)
        requests.append((id, sizes[id]))
    return share, capacity, requests


def hits(capacity, requests):
    """How many of the requests libCacheSim's LIRS serves."""
    cache = lcs.LIRS(cache_size=capacity)
    request = lcs.Request()
    count = 0
    for request.obj_id, request.obj_size in requests:
        count += cache.get(request)
    return count


def main():
    for seed in [int(argument) for argument in sys.argv[1:]] or SEEDS:
        share, capacity, requests = draw(seed)
        print(f"{seed} {share} {capacity} {len(requests)} {hits(capacity, requests)}")


if __name__ == "__main__":
    main()
