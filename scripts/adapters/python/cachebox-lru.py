# package cachebox
import cachebox

from assay_subject import serve


class Subject:
    # "every read or write promotes an item", `in` too. "maxsize: … If zero, the limit is set to sys.maxsize"; what is too large is an OverflowError.
    claims = {"order": "lru", "storage": {"isConcurrent": True}, "deviations": ["zeroCapacityIsUnlimited", "containsIsGet"]}
    errors = {OverflowError: "valueRefused"}

    def __init__(self, entries, weight):
        self.lru = cachebox.LRUCache(entries if weight is None else weight, getsizeof=None if weight is None else lambda key, pair: pair[1])

    def put(self, key, value, cost=1): self.lru.insert(key, (value, cost))

    def get(self, key): return self.lru.get(key, (None,))[0]

    def contains(self, key): return self.lru.contains(key)

    def take(self, key): return self.lru.pop(key, (None,))[0]

    def remove(self, key): return self.lru.pop(key, None) is not None

    def removeAll(self): self.lru.clear()

    def count(self): return len(self.lru)

    def keys(self): return list(self.lru.keys())

    def cost(self): return self.lru.current_size()


serve(Subject, "cachebox LRUCache")
