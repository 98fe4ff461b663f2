# package aiocache
import heapq
import itertools

from aiocache.backends import memory

from assay_subject import serve
from shared import OnClock, Time


class Timers:
    """Stands in for the event loop whose timers delete what has expired."""
    waiting, numbers = [], itertools.count()

    def __init__(self, action=None, key=None): self.action, self.key = action, key

    def cancel(self): self.action = None

    def call_later(self, delay, action, key):
        made = Timers(action, key)
        heapq.heappush(self.waiting, (Time.now + max(0, delay), next(self.numbers), made))
        self.fire()
        return made

    def fire(self):
        while self.waiting and self.waiting[0][0] <= Time.now:
            timer = heapq.heappop(self.waiting)[2]
            if timer.action:
                timer.action(timer.key)


memory.asyncio = type("asyncio", (), {"get_running_loop": Timers})
Time.moved.append(Timers().fire)


class Subject(OnClock):
    claims = {"deviations": ["sharedClock", "zeroTimeToLiveIsForever"]}  # "ttl: … 0 or None" is no end

    def __init__(self): self.cache = memory.SimpleMemoryCache(timeout=None)

    async def put(self, key, value, ttl=None): await self.cache.set(key, value, ttl=ttl)

    async def get(self, key): return await self.cache.get(key)

    async def contains(self, key): return await self.cache.exists(key)

    async def remove(self, key): return await self.cache.delete(key)

    async def removeAll(self): await self.cache.clear()

    async def touch(self, key, amount): return await self.cache.expire(key, amount)


serve(Subject, "aiocache SimpleMemoryCache")
