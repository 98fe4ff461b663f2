# package zict
import zict

from assay_subject import serve


class Subject:
    # "Any individual key that is heavier than n will be automatically evicted as soon as it is inserted"; on_evict is told of evictions alone.
    claims = {"order": "lru", "deviations": ["dropsOversized", "removalsAreNotTold", "replacementsAreNotTold"]}

    def __init__(self, entries, weight, tell):
        self.lru = zict.LRU(entries if weight is None else weight, {}, weight=(lambda key, pair: 1) if weight is None else (lambda key, pair: pair[1]),
                            on_evict=lambda key, pair: tell(key, pair[0], "evicted"))

    def put(self, key, value, cost=1): self.lru[key] = (value, cost)

    def get(self, key): return self.lru.get(key, (None,))[0]

    def contains(self, key): return key in self.lru

    def remove(self, key): return self.lru.pop(key, None) is not None

    def removeAll(self): self.lru.clear()

    def count(self): return len(self.lru)

    def keys(self): return list(self.lru)

    def cost(self): return self.lru.total_weight

    def resize(self, amount):
        self.lru.n = amount
        self.lru.evict_until_below_target()


serve(Subject, "zict LRU")
