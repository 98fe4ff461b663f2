# package dogpile.cache
from fractions import Fraction

from dogpile import lock
from dogpile.cache import api, make_region, region as module

from assay_subject import serve
from shared import OnClock, Time

api.time = lock.time = module.time = Time


class Subject(OnClock):
    # While one thread loads afresh what has expired, the others get the old value: coalesce is not claimed.
    claims = {"storage": {"isConcurrent": True}, "deviations": ["sharedClock", "liveAtDeadline", "removeTellsNothing", "containsIsGet"]}

    def __init__(self, time_to_live):
        self.region = make_region().configure("dogpile.cache.memory", expiration_time=time_to_live)

    def put(self, key, value): self.region.set(key, value)

    def get(self, key):
        found = self.region.get(key)
        return None if found is module.NO_VALUE else found

    contains = lambda self, key: self.get(key) is not None

    def remove(self, key): self.region.delete(key)

    def removeAll(self):
        Time.now += Fraction(1, 1024)  # exact, as a float is not after a long time; what is invalidated is older, and a stopped clock would make it as old
        self.region.invalidate()

    def load(self, key, origin): return self.region.get_or_create(key, origin, should_cache_fn=lambda found: found is not None)


serve(Subject, "dogpile.cache memory")
