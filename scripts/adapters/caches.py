"""Caches from PyPI as subjects of Assay: `python3 caches.py NAME`, with the claims in claims/NAME.json.

scripts/adapters/install makes the virtual environment. An operation that would need several calls of a cache is left out, so
that a verdict is about the cache; but every subject must answer `contains`, and where a cache cannot, a get stands for it.
Virtual clocks are given where a cache takes one; their nanoseconds are the cache's seconds. Every subject answers `closed`
after `close`; caches that have no such state are closed by the adapter.
"""
import importlib.util
import json
import pathlib
import sys
import threading
from importlib.metadata import version

from assay_subject import Cache, MappingCache, Refused, serve

DEFAULT_ROOM = {"amount": 1 << 20, "unit": "objects"}


class Clock:
    """A clock that `advance` moves. It begins at 1: a time of 0 means "never" to some caches."""
    def __init__(self, now=None):
        self.now = 1 + (now or 0)

    def __call__(self):
        return self.now


class Timed:
    """What caches with a clock of their own share."""

    def advance(self, amount):
        self.clock.now += amount

    def moveWallClock(self, amount):
        pass


class Cachetools(MappingCache):
    """A cache of cachetools; where the capacity is in bytes, a value weighs its cost."""
    kind = "LRUCache"

    def __init__(self, directory, capacity, time_to_idle, now=None):
        import cachetools
        room = capacity or DEFAULT_ROOM
        weigh = (lambda pair: pair[1]) if room["unit"] == "bytes" else None
        self.made = self.make(getattr(cachetools, self.kind), room["amount"], weigh)

    def make(self, kind, amount, weigh):
        return kind(amount, getsizeof=weigh)

    def put(self, key, value, cost=1, **terms):
        try:
            self.made[key] = (value, cost)
        except ValueError as error:
            raise Refused("valueRefused", str(error))

    def get(self, key):
        return self.made.get(key, (None,))[0]

    def take(self, key):
        return self.made.pop(key, (None,))[0]

    def cost(self):
        return self.made.currsize


class CachetoolsFIFO(Cachetools):
    kind = "FIFOCache"


class CachetoolsLFU(Cachetools):
    kind = "LFUCache"


class CachetoolsTLRU(Timed, Cachetools):
    kind = "TLRUCache"

    def make(self, kind, amount, weigh):
        self.clock = Clock()
        return kind(amount, lambda key, value, now: float("inf") if value[2] is None else now + value[2],
                    timer=self.clock, getsizeof=weigh)

    def put(self, key, value, cost=1, timeToLiveNanoseconds=None, **terms):
        try:
            self.made[key] = (value, cost, timeToLiveNanoseconds)
        except ValueError as error:
            raise Refused("valueRefused", str(error))

    def maintain(self):
        self.made.expire()


class Diskcache(Timed, Cache):
    def __init__(self, directory, capacity, time_to_idle, now=None):
        # The package asks its module's `time`: a module for each cache, so that two that are open have a clock each.
        found = importlib.util.find_spec("diskcache.core")
        module = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
        self.clock = Clock(now)
        module.time = type("time", (), {"time": self.clock, "sleep": lambda seconds: None})
        self.store = module.Cache(directory, eviction_policy="none", statistics=1)

    def close(self):
        self.store.close()
        super().close()

    def put(self, key, value, timeToLiveNanoseconds=None, **terms):
        self.store.set(key, value, expire=self.lasting(timeToLiveNanoseconds))

    def lasting(self, time):
        # The sum of seconds since 1970 and a time to live never overflows; of nanoseconds it may: that is for ever.
        return None if time is not None and self.clock.now + time >= 1 << 63 else time

    def putIfAbsent(self, key, value, timeToLiveNanoseconds=None, **terms):
        return self.store.add(key, value, expire=self.lasting(timeToLiveNanoseconds))

    def touch(self, key, amount):
        return self.store.touch(key, expire=self.lasting(amount))

    def get(self, key):
        return self.store.get(key)

    def take(self, key):
        return self.store.pop(key)

    def contains(self, key):
        return key in self.store

    def remove(self, key):
        return self.store.delete(key)

    def removeAll(self):
        self.store.clear()

    def count(self):
        return len(self.store)

    def keys(self):
        return list(self.store)

    def maintain(self):
        self.store.expire(self.clock.now)

    def statistics(self):
        hits, misses = self.store.stats()
        return {"hits": hits, "misses": misses}


class MokaPy(Cache):
    policy = "lru"
    causes = {"explicit": "removed", "size": "evicted", "expired": "expired", "replaced": "replaced"}

    def __init__(self, directory, capacity, time_to_idle, now=None):
        import moka_py
        room = capacity or DEFAULT_ROOM
        self.told, self.lock = [], threading.Lock()
        weigh = (lambda key, pair: pair[1]) if room["unit"] == "bytes" else None
        self.store = moka_py.Moka(
            room["amount"], policy=self.policy, weigher=weigh, eviction_listener=self.tell)

    def tell(self, key, pair, cause):
        with self.lock:
            self.told.append((key, pair[0], self.causes[cause]))

    def events(self):
        self.store.run_pending_tasks()
        with self.lock:
            told, self.told = self.told, []
        return told

    def put(self, key, value, cost=1, **terms):
        try:
            self.store.set(key, (value, cost))
        except ValueError as error:
            raise Refused("valueRefused", str(error))

    def get(self, key):
        return self.store.get(key, (None,))[0]

    def contains(self, key):
        return self.get(key) is not None

    def take(self, key):
        return self.store.remove(key, (None,))[0]

    def remove(self, key):
        return self.store.remove(key) is not None

    def removeAll(self):
        self.store.clear()

    def count(self):
        self.store.run_pending_tasks()
        return self.store.count()

    def cost(self):
        self.store.run_pending_tasks()
        return self.store.weighted_size()

    def maintain(self):
        self.store.run_pending_tasks()

    def load(self, key, origin, cost=1, **terms):
        return self.store.get_with(key, lambda: (origin(), cost))[0]


class Theine(Cache):
    def __init__(self, directory, capacity, time_to_idle, now=None):
        import theine
        self.store = theine.Cache((capacity or DEFAULT_ROOM)["amount"])

    def close(self):
        self.store.close()
        super().close()

    def put(self, key, value, **terms):
        self.store.set(key, value)

    def get(self, key):
        return self.store.get(key)[0]

    def contains(self, key):
        return self.get(key) is not None

    def remove(self, key):
        return self.store.delete(key)

    def removeAll(self):
        self.store.clear()

    def count(self):
        return len(self.store)

    def maintain(self):
        self.store._force_drain_write()

    def statistics(self):
        counted = self.store.stats()
        return {"hits": counted.hit_count, "misses": counted.miss_count}


class LRUDict(MappingCache):
    def __init__(self, directory, capacity, time_to_idle, now=None):
        import lru
        self.made = lru.LRU((capacity or DEFAULT_ROOM)["amount"])

    contains = lambda self, key: self.made.has_key(key)
    take = lambda self, key: self.made.pop(key, None)
    keys = lambda self: self.made.keys()

    def remove(self, key):
        try:
            del self.made[key]
        except KeyError:
            return False
        return True

    def resize(self, amount):
        self.made.set_size(amount)

    def statistics(self):
        hits, misses = self.made.get_stats()
        return {"hits": hits, "misses": misses}


class Cacheout(Timed, Cache):
    kind = "LRUCache"

    def __init__(self, directory, capacity, time_to_idle, now=None):
        import cacheout
        self.clock, self.told, self.cacheout = Clock(now), [], cacheout
        causes = {"DELETE": "removed", "EXPIRED": "expired", "FULL": "evicted", "POPITEM": "removed"}

        def stored(key, new, old):
            if isinstance(old, bytes):
                self.told.append((key, old, "replaced"))
        self.store = getattr(cacheout, self.kind)(
            maxsize=(capacity or DEFAULT_ROOM)["amount"], timer=self.clock, enable_stats=True, on_set=stored,
            on_delete=lambda key, value, cause: self.told.append((key, value, causes[cause.name])))

    def events(self):
        told, self.told = self.told, []
        return told

    def put(self, key, value, timeToLiveNanoseconds=None, **terms):
        self.store.set(key, value, ttl=timeToLiveNanoseconds)

    def get(self, key):
        return self.store.get(key)

    def contains(self, key):
        return key in self.store

    def remove(self, key):
        return self.store.delete(key)

    def getMany(self, keys):
        found = self.store.get_many(keys)
        return [found.get(key) for key in keys]

    def removeMany(self, keys):
        return self.store.delete_many(keys)

    def remainingTime(self, key):
        return self.store.get_ttl(key)

    def removeAll(self):
        self.store.clear()

    def count(self):
        return len(self.store)

    def keys(self):
        return list(self.store.keys())

    def maintain(self):
        self.store.delete_expired()

    def statistics(self):
        counted = self.store.stats.info()
        return {"hits": counted.hit_count, "misses": counted.miss_count, "evictions": counted.eviction_count}


# Name: the class, the package, whether it needs a directory.
CACHES = {
    "cachetools-lru": (Cachetools, "cachetools", False),
    "cachetools-fifo": (CachetoolsFIFO, "cachetools", False),
    "cachetools-lfu": (CachetoolsLFU, "cachetools", False),
    "cachetools-tlru": (CachetoolsTLRU, "cachetools", False),
    "diskcache": (Diskcache, "diskcache", True),
    "moka-py": (MokaPy, "moka-py", False),
    "theine": (Theine, "theine", False),
    "lru-dict": (LRUDict, "lru-dict", False),
    "cacheout-lru": (Cacheout, "cacheout", False),
}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in CACHES:
        sys.exit("caches.py: name one of " + ", ".join(CACHES))
    chosen, package, needs_directory = CACHES[sys.argv[1]]
    claims = json.loads((pathlib.Path(__file__).parent / "claims" / f"{sys.argv[1]}.json").read_text())
    serve(chosen, f"{sys.argv[1]} {version(package)}", claims, needs_directory)
