# package cashews
from cashews.backends import memory

from assay_subject import serve
from shared import OnClock, Time

memory.time = Time


class Subject(OnClock):
    # Every look moves its key to the end and counts as a use; a time of 0 is none.
    claims = {"order": "lru", "deviations": ["sharedClock", "liveAtDeadline", "zeroTimeToLiveIsForever", "containsIsGet", "removesExpired"]}

    def __init__(self, entries): self.cache = memory.Memory(size=entries, check_interval=0)

    async def put(self, key, value, ttl=None): await self.cache.set(key, value, expire=ttl)

    async def putIfAbsent(self, key, value, ttl=None): return await self.cache.set(key, value, expire=ttl, exist=False)

    async def replace(self, key, value, ttl=None): return await self.cache.set(key, value, expire=ttl, exist=True)

    async def get(self, key): return await self.cache.get(key)

    async def contains(self, key): return await self.cache.exists(key)

    async def remove(self, key): return await self.cache.delete(key)

    async def maintain(self):  # what its task does again and again
        for key in dict(self.cache.store):
            await self.cache.get(key)

    async def removeAll(self): await self.cache.clear()


serve(Subject, "cashews Memory")
