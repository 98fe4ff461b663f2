"""A cache under Assay's conformance suite. Put your cache in the place of LRU, and its calls in the place of those of Subject."""
from collections import OrderedDict
from assay_subject import serve


class LRU:
    def __init__(self, limit):
        self.limit, self.entries = limit, OrderedDict()

    def put(self, key, value):
        self.entries[key] = value
        self.entries.move_to_end(key)
        if len(self.entries) > self.limit:
            self.entries.popitem(last=False)

    def get(self, key):
        if key in self.entries:
            self.entries.move_to_end(key)
        return self.entries.get(key)


class Subject:
    claims = {"order": "lru"}

    def __init__(self, entries): self.cache = LRU(entries)

    def put(self, key, value): self.cache.put(key, value)

    def get(self, key): return self.cache.get(key)

    def contains(self, key): return key in self.cache.entries

    def remove(self, key): return self.cache.entries.pop(key, None) is not None

    def removeAll(self): self.cache.entries.clear()

    def count(self): return len(self.cache.entries)

    def keys(self): return list(self.cache.entries)


serve(Subject, "my cache 1.0")
