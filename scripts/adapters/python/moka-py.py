# package moka-py
import threading

import moka_py

from assay_subject import serve

CAUSES = {"explicit": "removed", "size": "evicted", "expired": "expired", "replaced": "replaced"}


class Subject:
    # What weighs more than the capacity is there until pending tasks have run, and no error tells; weights have 32 bits.
    claims = {"storage": {"isConcurrent": True}, "features": ["coalesce"], "room": {"isStrict": False}, "deviations": ["dropsOversized", "writesTakeEffectLater"],
              "limits": {"costMax": (1 << 32) - 1}}
    errors = {ValueError: "valueRefused"}

    def __init__(self, entries, weight):
        self.told, self.lock = [], threading.Lock()
        self.cache = moka_py.Moka(entries if weight is None else weight, policy="lru", weigher=None if weight is None else (lambda key, pair: pair[1]), eviction_listener=self.tell)

    def tell(self, key, pair, cause):
        with self.lock:
            self.told.append((key, pair[0], CAUSES[cause], None))

    def events(self):
        self.maintain()
        with self.lock:
            told, self.told = self.told, []
        return told

    def put(self, key, value, cost=1): self.cache.set(key, (value, cost))

    def get(self, key): return self.cache.get(key, (None,))[0]

    def contains(self, key): return self.get(key) is not None

    def take(self, key): return self.cache.remove(key, (None,))[0]

    def remove(self, key): return self.cache.remove(key) is not None

    def removeAll(self): self.cache.clear()

    def count(self):
        self.maintain()
        return self.cache.count()

    def cost(self):
        self.maintain()
        return self.cache.weighted_size()

    def maintain(self): self.cache.run_pending_tasks()

    def flush(self): self.cache.run_pending_tasks()

    def load(self, key, origin, cost=1): return self.cache.get_with(key, lambda: (origin(), cost))[0]


serve(Subject, "moka-py Moka")
