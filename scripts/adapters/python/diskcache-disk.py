# package diskcache as diskcache
import importlib.util

from assay_subject import serve


class Subject:
    claims = {"storage": {"durability": "kill"}, "deviations": ["countsExpired"]}

    def __init__(self, directory, clock):
        # The package asks its module's `time`: a module for each cache, so that two that are open have a clock each.
        found = importlib.util.find_spec("diskcache.core")
        module = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
        module.time, self.clock = type("time", (), {"time": clock, "sleep": lambda seconds: None}), clock
        self.store = module.Cache(directory, eviction_policy="none", statistics=1)

    def close(self): self.store.close()

    # The sum of seconds since 1970 and a time to live never overflows; of nanoseconds it may: that is for ever.
    def lasting(self, time): return None if time is not None and self.clock() + time >= 1 << 63 else time

    def put(self, key, value, ttl=None): self.store.set(key, value, expire=self.lasting(ttl))

    def putIfAbsent(self, key, value, ttl=None): return self.store.add(key, value, expire=self.lasting(ttl))

    def touch(self, key, amount): return self.store.touch(key, expire=self.lasting(amount))

    def get(self, key): return self.store.get(key)

    def take(self, key): return self.store.pop(key)

    def contains(self, key): return key in self.store

    def remove(self, key): return self.store.delete(key)

    def removeAll(self): self.store.clear()

    def count(self): return len(self.store)

    def keys(self): return list(self.store)

    def maintain(self): self.store.expire(self.clock())

    def statistics(self): return dict(zip(("hits", "misses"), self.store.stats()))


serve(Subject, "diskcache Cache")
