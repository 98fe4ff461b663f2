# package expiringdict
import expiringdict

from assay_subject import serve
from shared import OnClock, Time

expiringdict.time = Time


class Subject(OnClock):
    # "iteration over dict and also keys() do not remove expired values"
    claims = {"storage": {"isConcurrent": True}, "deviations": ["sharedClock", "countsExpired", "removesExpired"]}

    def __init__(self, entries, time_to_live):
        self.entries = expiringdict.ExpiringDict(entries, float("inf") if time_to_live is None else time_to_live)

    def put(self, key, value): self.entries[key] = value

    def get(self, key): return self.entries.get(key)

    def contains(self, key): return key in self.entries

    def take(self, key): return self.entries.pop(key)

    def remove(self, key):
        try:
            del self.entries[key]
        except KeyError:
            return False
        return True

    def removeAll(self): self.entries.clear()

    def count(self): return len(self.entries)

    def keys(self): return list(self.entries.keys())

    def maintain(self): self.entries.items()

    def remainingTime(self, key): return self.entries.ttl(key)


serve(Subject, "expiringdict")
