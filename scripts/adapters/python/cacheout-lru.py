# package cacheout
import cacheout

from assay_subject import serve

CAUSES = {"DELETE": "removed", "EXPIRED": "expired", "FULL": "evicted", "POPITEM": "removed"}


class Subject:
    # "Defaults to 0 which means that entries do not expire"; a maxsize of 0 is no bound; what has expired stays until it is looked for; on_delete is told
    # of delete, ends and evictions.
    claims = {"order": "lru", "features": ["expiredFirst"], "deviations": [
        "zeroTimeToLiveIsForever", "zeroCapacityIsUnlimited", "countsExpired", "removesExpired", "containsIsGet", "clearsAreNotTold"]}

    def __init__(self, entries, clock, tell):
        def stored(key, new, old):
            if isinstance(old, bytes):
                tell(key, old, "replaced")
        self.cache = cacheout.LRUCache(maxsize=entries, timer=clock, enable_stats=True, on_set=stored,
                                       on_delete=lambda key, value, cause: tell(key, value, CAUSES[cause.name]))

    def put(self, key, value, ttl=None): self.cache.set(key, value, ttl=ttl)

    def get(self, key): return self.cache.get(key)

    def contains(self, key): return self.get(key) is not None  # `in` is counted as well, and is no use

    def remove(self, key): return self.cache.delete(key)

    def getMany(self, keys):
        found = self.cache.get_many(keys)
        return [found.get(key) for key in keys]

    def removeMany(self, keys): return self.cache.delete_many(keys)

    def remainingTime(self, key): return self.cache.get_ttl(key)

    def removeAll(self): self.cache.clear()

    def count(self): return len(self.cache)

    def keys(self): return list(self.cache.keys())

    def maintain(self): self.cache.delete_expired()

    def statistics(self):
        counted = self.cache.stats.info()
        return {"hits": counted.hit_count, "misses": counted.miss_count, "evictions": counted.eviction_count}


serve(Subject, "cacheout LRUCache")
