# package lru-dict
import lru

from assay_subject import serve


class Subject:
    # pop is counted as a read, so that take is not claimed.
    claims = {"order": "lru", "deviations": ["clearResetsCounters"]}

    def __init__(self, entries): self.made = lru.LRU(entries)

    def put(self, key, value): self.made[key] = value

    def get(self, key): return self.made.get(key)

    def contains(self, key): return self.made.has_key(key)

    def remove(self, key):
        try:
            del self.made[key]
        except KeyError:
            return False
        return True

    def removeAll(self): self.made.clear()

    def count(self): return len(self.made)

    def keys(self): return self.made.keys()

    def resize(self, amount): self.made.set_size(amount)

    def statistics(self): return dict(zip(("hits", "misses"), self.made.get_stats()))


serve(Subject, "lru-dict LRU")
