# package cachetools as cachetools-lru cachetools-fifo cachetools-lfu cachetools-tlru
import sys

import cachetools

from assay_subject import serve

KIND = sys.argv[1].split("-")[1]


class Subject:
    # `__setitem__` raises before it touches what is there. The order of FIFO is not claimed: a write moves its key to the end.
    claims = {"order": KIND if KIND in ("lru", "lfu") else None, "deviations": ["refusedPutKeepsOld"]}
    errors = {ValueError: "valueRefused"}

    def __init__(self, entries, weight): self.made = getattr(cachetools, KIND.upper() + "Cache")(*self.bounds(entries, weight))

    def bounds(self, entries, weight): return (entries, None) if weight is None else (weight, lambda pair: pair[1])

    def put(self, key, value, cost=1): self.made[key] = (value, cost)

    def get(self, key): return self.made.get(key, (None,))[0]

    def contains(self, key): return key in self.made

    def take(self, key): return self.made.pop(key, (None,))[0]

    def remove(self, key): return self.made.pop(key, None) is not None

    def removeAll(self): self.made.clear()

    def count(self): return len(self.made)

    def keys(self): return list(self.made)

    def cost(self): return self.made.currsize


class Timed(Subject):
    claims = {"order": "lru", "features": ["expiredFirst"], "deviations": ["refusedPutKeepsOld"]}

    def __init__(self, entries, weight, clock):
        size, weigh = self.bounds(entries, weight)
        self.made = cachetools.TLRUCache(size, lambda key, value, now: float("inf") if value[2] is None else now + value[2], timer=clock, getsizeof=weigh)

    def put(self, key, value, cost=1, ttl=None): self.made[key] = (value, cost, ttl)

    def maintain(self): self.made.expire()


serve(Timed if KIND == "tlru" else Subject, f"cachetools {KIND.upper()}Cache")
