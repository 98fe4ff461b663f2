# package theine as theine
import theine

from assay_subject import serve


class Subject:
    # There is no look beside get, which is counted. The memory for all entries is taken at once, and a failed allocation ends the process.
    claims = {"storage": {"isConcurrent": True}, "room": {"isStrict": False}, "deviations": ["containsIsGet"], "limits": {"capacityMax": 1 << 20}}

    def __init__(self, entries): self.cache = theine.Cache(1 << 16 if entries is None else entries)

    def close(self): self.cache.close()

    def put(self, key, value): self.cache.set(key, value)

    def get(self, key): return self.cache.get(key)[0]

    def contains(self, key): return self.get(key) is not None

    def remove(self, key): return self.cache.delete(key)

    def removeAll(self): self.cache.clear()

    def count(self): return len(self.cache)

    def maintain(self): self.cache._force_drain_write()

    def statistics(self):
        counted = self.cache.stats()
        return {"hits": counted.hit_count, "misses": counted.miss_count}


serve(Subject, "theine Cache")
