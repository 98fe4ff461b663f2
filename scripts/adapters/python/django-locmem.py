# package django
import itertools
import warnings

from django.conf import settings
from django.core.cache.backends import base, locmem

from assay_subject import serve
from shared import OnClock, Time

settings.configure()
warnings.simplefilter("ignore")  # of keys that memcached would not take
base.time = locmem.time = Time
names = itertools.count()


class Subject(OnClock):
    claims = {"storage": {"isConcurrent": True}, "room": {"isStrict": False}, "deviations": ["sharedClock"]}

    def __init__(self, entries):
        self.cache = locmem.LocMemCache(str(next(names)), {"TIMEOUT": None, "OPTIONS": {"MAX_ENTRIES": entries}})

    def put(self, key, value, ttl=None): self.cache.set(key.decode("latin-1"), value, ttl)

    def putIfAbsent(self, key, value, ttl=None): return self.cache.add(key.decode("latin-1"), value, ttl)

    def get(self, key): return self.cache.get(key.decode("latin-1"))

    def contains(self, key): return self.cache.has_key(key.decode("latin-1"))

    def remove(self, key): return self.cache.delete(key.decode("latin-1"))

    def removeAll(self): self.cache.clear()

    def touch(self, key, amount): return self.cache.touch(key.decode("latin-1"), amount)


serve(Subject, "Django LocMemCache")
