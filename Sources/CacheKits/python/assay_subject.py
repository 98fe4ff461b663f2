"""Assay's subject protocol (docs/subject-protocol.md, version 1) for caches in Python, in one file without dependencies.

Write a class with a method for each operation that your cache has, and end with `serve(YourClass, "name 1.0")`:

    get(key) contains(key) remove(key) removeAll() count() keys() put(key, value[, ttl, cost, tags, expiresAtNanoseconds])
    putIfAbsent(key, value) replace(key, value) compareAndSet(key, expected, value) exchange(key, value) take(key)
    getMany(keys) removeMany(keys) putMany(pairs) firstKeys(amount) update(key, change) increment(key, amount) rename(key, other)
    touch(key, amount) remainingTime(key) cost() resize(amount) statistics() removeTagged(tag) mark(key) setIfMarked(key, value)
    removeIfMarked(key) pin(key) unpin(key) load(key, origin[, ttl, cost, tags]) giveUp(key) flush() maintain() close() diskUsage()
    dropMemory() failLower(fails) limitGroup(group, amount) listen(listener) advance(amount) sleep(amount) moveWallClock(amount)
    face(number) (the same methods, by the face of that number, 1 or more; `claims` say how many there are: {"faces": 2})

Keys and values are bytes; None is no entry; flags are true or false. `change` maps the old value to the new one, `origin()` loads a value;
a method that takes `group` serves groups. A method may be a coroutine. The constructor names what it wants of these parameters:

    entries (how many it may hold) weight (how much its costs may add up to) directory clock (call it: nanoseconds) time_to_live
    (one for all entries, or None) time_to_idle stale refresh format collide writer (call it: key, value, or None for a removal) tell (call it: key, value, and evicted, expired, replaced or removed)

What is written is claimed; `claims`, a dictionary of the class, is laid over that: {"order": "lru", "storage": {"isConcurrent": True}}.
None takes a member away, and "-name" among the features one of these. An operation or a term that is not written is answered
`unsupported`; without `contains` the suite looks by `get`, and the deviation containsIsGet is stated. Raise Refused, or give codes to your cache's exceptions: errors = {ValueError: "valueRefused"}.
"""
import asyncio
import inspect
import json
import os
import re
import select
import struct
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

VERSION, FRAME_MAX = 1, 64 << 20
STORE = {"keyBytesMax": 65536, "allowsEmptyKey": True, "valueBytesMax": 1 << 24, "retains": True, "iterates": True,
         "durability": "volatile", "isConcurrent": False}
TERMS = {"timeToLiveNanoseconds": "ttl", "cost": "cost", "tags": "tags"}
# These mean the whole cache, by whatever face they come.
WHOLE = {"advance", "sleep", "moveWallClock", "flush", "maintain", "close"}
# The features of which a cache with all these methods, or with these parameters of its constructor, has one.
BY_METHODS = {
    "putIfAbsent": "putIfAbsent", "replace": "replace exchange", "compareAndSet": "compareAndSet", "take": "take",
    "bulk": "getMany removeMany", "bulkPut": "putMany",
    "update": "update", "counter": "increment", "rename": "rename", "touch": "touch", "remainingTime": "remainingTime",
    "cost": "cost", "resize": "resize", "statistics": "statistics", "events": "events", "listener": "listen", "tags": "removeTagged",
    "versions": "mark setIfMarked removeIfMarked", "pin": "pin unpin", "loader": "load", "cancel": "load giveUp", "walks": "firstKeys",
    "diskUsage": "diskUsage", "tiers": "dropMemory failLower", "groupLimits": "limitGroup", "countsSleep": "sleep"}
BY_PARAMETERS = {"events": "tell", "writer": "writer", "timeToIdle": "time_to_idle", "staleServe": "stale", "refresh": "refresh", "collide": "collide"}


def rest(milliseconds):
    """Waits, also on a clock that stands still, on which `time.sleep` ends at once."""
    select.select([], [], [], milliseconds / 1000) if os.name == "posix" else time.sleep(milliseconds / 1000)


class Refused(Exception):
    """One of the protocol's codes (closed, keyRefused, valueRefused, full, corrupt, unavailable, unsupported, inputOutput), and a message."""


class OriginFailed(Exception):
    """The loader's own error, which a cache must pass on."""


class Cache:
    """What all caches share; not needed, as `serve` adds what is left out."""
    is_closed = False

    def close(self): pass

    flush = maintain = lambda self: None


class MappingCache(Cache):
    """A cache over `entries`, which has the methods of a dictionary."""
    entries = property(lambda self: self.__dict__.setdefault("made", {}))
    get = lambda self, key: self.entries.get(key)
    contains = lambda self, key: key in self.entries
    remove = lambda self, key: self.entries.pop(key, None) is not None
    removeAll = lambda self: self.entries.clear()
    count = lambda self: len(self.entries)
    keys = lambda self: list(self.entries)

    def put(self, key, value, **terms):
        self.entries[key] = value


class Clock:
    """Virtual time: `clock()` is in nanoseconds. A cache that counts in seconds may take them for these: floats then lose nothing."""
    def __init__(self, now=0): self.now = now
    def __call__(self): return self.now


class Recorder:
    """What the cache told and wrote, kept until it is asked for."""
    def __init__(self): self.events, self.writes, self.fails, self.failing, self.lock = [], [], False, set(), threading.Lock()

    def tell(self, key, value, cause, group=None):
        with self.lock:
            self.events.append((key, value, cause, group))

    def write(self, key, value=None):
        with self.lock:
            if self.fails or key in self.failing:
                raise Refused("inputOutput", "the writer fails")
            self.writes.append((key, value))

    def taken(self, name):
        with self.lock:
            told = getattr(self, name)
            setattr(self, name, [])
            return told


def entry(value):
    """A value, or a value with its time of expiry, as JSON has it."""
    value, expiry = value if isinstance(value, tuple) else (value, None)
    more = {} if expiry is None else {"expiresAtNanoseconds": expiry}
    return {"entry": None if value is None else {"value": value.hex(), **more}}


def told(key, value, cause, group=None):
    return {"key": key.hex(), "value": value.hex(), "cause": cause, **({} if group is None else {"group": group})}


def flag(name):
    """What becomes of a result that is true or false; None tells nothing."""
    def answer(result):
        if result is not None and result not in (False, True):
            raise TypeError(f"'{name}' of the adapter returned {result!r:.60}; return True or False")
        return {"done": True} if result is None else {"flag": bool(result)}
    return answer


# What becomes of a method's result, by operation; the rest return nothing.
ANSWERS = {
    **dict.fromkeys(("get", "exchange", "take", "update"), lambda value: entry(value)),
    "getMany": lambda values: {"entries": [entry(value)["entry"] for value in values]},
    **dict.fromkeys(("keys", "firstKeys"), lambda keys: {"keys": [key.hex() for key in keys]}),
    "remainingTime": lambda left: {"time": left}, "statistics": lambda counters: {"statistics": counters},
    "events": lambda events: {"events": [told(*event) for event in events]},
    "writes": lambda writes: {"writes": [
        {"key": key.hex(), **({} if value is None else {"value": value.hex()})} for key, value in writes]},
    "putMany": lambda flags: {"flags": [bool(flag) for flag in flags]},
    "load": lambda loaded: {"loaded": "nothing" if loaded[0] is None else "value", "calls": loaded[1],
                            **({} if loaded[0] is None else entry(loaded[0]))},
    **{name: flag(name) for name in (
        "contains", "remove", "putIfAbsent", "replace", "compareAndSet", "touch", "mark", "setIfMarked", "removeIfMarked", "rename",
        "pin", "unpin")},
    **{name: lambda number: {"number": number} for name in ("count", "cost", "removeMany", "increment", "diskUsage")},
}


def number(text):
    """The number that digits write, or None: what a counter's value is."""
    found = int(text) if text is not None and re.fullmatch(rb"[+-]?[0-9]{1,19}", text) else None
    return found if found is not None and -1 << 63 <= found < 1 << 63 else None


def change(step):
    """What an update makes of the old value."""
    if "value" in step:
        return lambda old: bytes.fromhex(step["value"])
    if step["word"] == "remove":
        return lambda old: None
    return lambda old: b"%d" % min((number(old) or 0) + 1, (1 << 63) - 1)


def parameters(function):
    """The names of a function's parameters, and whether it takes any others."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return set(), False
    return {one.name for one in found if one.kind != one.VAR_KEYWORD}, any(one.kind == one.VAR_KEYWORD for one in found)


def laid(over, under):
    """Claims laid over what was derived."""
    made = dict(under)
    for name, value in over.items():
        if value is None:
            made.pop(name, None)
        elif name in ("features", "deviations"):
            named = {word for word in value if not word.startswith("-")} | set(made.get(name, ()))
            made[name] = sorted(named - {word[1:] for word in value if word.startswith("-")})
        else:
            made[name] = laid(value, made.get(name, {})) if isinstance(value, dict) and name != "capacity" else value
    return made


def derived(make):
    """The claims that the methods of a class make, with its `claims` laid over them."""
    has, (wants, _) = lambda names: all(hasattr(make, name) for name in names.split()), parameters(make)
    puts, any_clock = parameters(make.put)[0], "clock" in wants or hasattr(make, "advance")
    features = {name for name, methods in BY_METHODS.items() if has(methods)}
    features |= {name for name, parameter in BY_PARAMETERS.items() if parameter in wants}
    features |= {"timeToLive"} if puts & {"ttl", "timeToLiveNanoseconds"} and any_clock else set()
    features |= {"timeToLive"} if "time_to_live" in wants else set()
    features |= {"storedExpiry"} if "expiresAtNanoseconds" in puts else set()
    features |= {"groups"} if all("group" in parameters(getattr(make, name, None))[0] for name in (
        "put", "get", "contains", "remove", "removeAll", "count", "keys")) else set()
    units = [unit for unit, name in (("objects", "entries"), ("bytes", "weight")) if name in wants]
    claims = {"storage": dict(STORE, iterates=has("count keys")), "features": sorted(features)}
    if units:
        claims["room"] = {"capacity": {"amount": 65536, "unit": units[0]}, "isAdjustable": True, "units": units, "isStrict": True}
    claims["deviations"] = ["oneTimeToLive"] * ("time_to_live" in wants) + ["containsIsGet"] * (not has("contains"))
    claims = laid(getattr(make, "claims", {}), claims)
    if has("face") and "faces" not in claims:
        sys.exit('assay_subject: there are other faces, and the claims do not say how many in all: add "faces": 2')
    return claims


class Instance:
    """An open cache with what the kit does for it."""
    def __init__(self, make, claims, setup):
        self.recorder, self.clock, self.claims, self.is_closed = Recorder(), Clock(setup.get("nowNanoseconds", 0)), claims, False
        self.known = {}  # the parameters of methods, by name and face
        capacity = setup.get("capacity") or claims.get("room", {}).get("capacity") or {}
        given = {
            "directory": setup.get("directory"), "capacity": setup.get("capacity"), "now": setup.get("nowNanoseconds"),
            "time_to_live": setup.get("timeToLiveNanoseconds"), "time_to_idle": setup.get("timeToIdleNanoseconds"), "stale": setup.get("staleNanoseconds"),
            "refresh": setup.get("refreshNanoseconds"), "format": setup.get("format"), "collide": setup.get("collide"), "clock": self.clock,
            "entries": capacity.get("amount") if capacity.get("unit") == "objects" else None,
            "weight": capacity.get("amount") if capacity.get("unit") == "bytes" else None,
            "tell": self.recorder.tell, "writer": self.recorder.write}
        self.wanted = parameters(make)[0]
        self.cache = make(**{name: given[name] for name in self.wanted & given.keys()})

    def method(self, name, face):
        """What does an operation: the cache's method, or what the kit does in its place; None for neither."""
        if face and not hasattr(self.cache, "face"):
            raise Refused("unsupported", "this cache has no other face")
        cache = finished(self.cache.face(face)) if face and name not in WHOLE else self.cache
        own, kit = getattr(cache, name, None), self.recorder
        if own is not None:
            return own
        if name in ("flush", "maintain", "close"):
            return lambda: None
        if name == "advance" and "clock" in self.wanted:
            return lambda amount: setattr(self.clock, "now", self.clock.now + amount)
        if name == "events" and "tell" in self.wanted:
            return lambda: kit.taken("events")
        if "writer" in self.wanted:
            return {"writes": lambda: kit.taken("writes"), "failWrites": lambda fails: setattr(kit, "fails", fails),
                    "failWritesOf": lambda keys: setattr(kit, "failing", set(keys))}.get(name)
        return None

    def limit(self, step, face):
        """Refuses keys and values outside of what is claimed. A refused value ends the old one too."""
        store = self.claims["storage"]
        for key in [step[name] for name in ("key", "other") if name in step] + step.get("keys", []):
            if len(key) > 2 * store["keyBytesMax"] or not (key or store.get("allowsEmptyKey")):
                raise Refused("keyRefused", "the claims allow no key of this length")
        if len(step.get("value", "")) > 2 * store["valueBytesMax"]:
            self.perform({"operation": "remove", "key": step["key"], **({"group": step["group"]} if "group" in step else {})}, face)
            raise Refused("valueRefused", "the claims allow no value of this length")

    def perform(self, step, face=0):
        """Does one step by a face and says what came of it, as JSON has it."""
        name = step["operation"]
        if name == "pause":
            return {"done": rest(step["amount"]) is None}
        if self.is_closed and name not in ("close", "writes"):
            raise Refused("closed", "the cache is closed")
        method = self.method(name, face)
        if method is None:
            raise Refused("unsupported", f"'{name}' is not among what this cache does")
        self.limit(step, face)
        terms = self.terms(name, method, step, face)
        result = self.load(method, step, terms) if name == "load" else self.put_many(method, step, face) if name == "putMany" else (
            ANSWERS.get(name, lambda nothing: {"done": True})(finished(method(*self.arguments(name, step), **terms))))
        self.is_closed |= name == "close"
        return result

    def terms(self, name, method, step, face):
        """The terms and the group of a step, by the names of the method's parameters; refused if it has none for one."""
        if (name, face) not in self.known:
            self.known[name, face] = parameters(method)
        names, takes_any = self.known[name, face]
        given = dict(step.get("terms", {}), **({"group": step["group"]} if "group" in step else {}))
        made = {}
        for term, value in given.items():
            short = TERMS.get(term, term)
            if short in names or term in names or takes_any and term != "group":
                made[short if short in names else term] = value
            elif (term, value) not in (("cost", 1), ("tags", [])):
                raise Refused("unsupported", f"'{name}' of this cache has no {short}")
        if "expiresAtNanoseconds" in step and "expiresAtNanoseconds" in names:
            made["expiresAtNanoseconds"] = step["expiresAtNanoseconds"]
        return made

    def arguments(self, name, step):
        made = [bytes.fromhex(step["key"])] if "key" in step else []
        made += [[bytes.fromhex(key) for key in step["keys"]]] if "keys" in step else []
        made += [bytes.fromhex(step["other"])] if "other" in step else []
        made += [bytes.fromhex(step["expected"]["value"])] if "expected" in step else []
        made += [step["tag"]] if "tag" in step else []
        if name == "update":
            return made + [change(step)]
        if name == "listen":
            return [self.listener(step)]
        made += [step["amount"] == 1 if name in ("failWrites", "failLower") else step["amount"]] if "amount" in step else []
        return made + ([bytes.fromhex(step["value"])] if "value" in step else [])

    def listener(self, step):
        """What the cache calls with a key, a value and a cause; None to take its listener away."""
        def listen(key, value, cause, group=None):
            if step["word"] == "slow":
                rest(step["amount"])
            self.recorder.tell(key, value, cause, group)
            if step["word"] == "fails":
                raise RuntimeError("the listener fails")
            for item in step.get("items", []):
                self.perform(item)
        return None if step["word"] == "none" else listen

    def put_many(self, method, step, face):
        flags, pairs = [], []
        for item in step["items"]:
            try:
                self.limit(item, face)
                pairs.append((bytes.fromhex(item["key"]), bytes.fromhex(item["value"])))
                flags.append(True)
            except Refused:
                flags.append(False)
        stored = iter(finished(method(pairs)))
        return ANSWERS["putMany"]([flag and next(stored) for flag in flags])

    def load(self, method, step, terms):
        calls = []

        def origin(*ignored):
            calls.append(None)
            for other in step.get("meanwhile", []):
                try:
                    self.perform(other)
                except Exception as error:  # what a step in a loader is answered is not asked for
                    if not isinstance(error, (Refused, OriginFailed)):
                        traceback.print_exc()
            if step["origin"] == "failure":
                raise OriginFailed()
            return bytes.fromhex(step["value"]) if step["origin"] == "value" else None

        async def waiting(*ignored):
            return await asyncio.get_running_loop().run_in_executor(None, origin)

        try:
            asked = waiting if inspect.iscoroutinefunction(method) else origin
            return ANSWERS["load"]((finished(method(bytes.fromhex(step["key"]), asked, **terms)), len(calls)))
        except OriginFailed:
            return {"loaded": "failed", "calls": len(calls)}


LOOP = []


def finished(result):
    """A result, or what a coroutine returns: all coroutines run on one loop in a thread of its own."""
    if not inspect.isawaitable(result):
        return result
    if not LOOP:
        LOOP.append(asyncio.new_event_loop())
        threading.Thread(target=LOOP[0].run_forever, daemon=True).start()

    async def whole():
        return await result
    return asyncio.run_coroutine_threadsafe(whole(), LOOP[0]).result()


def failure(make, error):
    """An exception as the protocol's error."""
    if isinstance(error, Refused):
        return {"error": dict(zip(("code", "message"), error.args))}
    code = next((code for kind, code in getattr(make, "errors", {}).items() if isinstance(error, kind)), None)
    if code is None:
        traceback.print_exc()
    return {"error": {"code": code or "inputOutput", "message": f"{type(error).__name__}: {error}"}}


def serve(make, name, claims=None, needs_directory=None):
    """Answers requests until the pipe is closed; several at once if the claims say that the cache is concurrent."""
    if needs_directory is None:
        needs_directory = claims is None and "directory" in parameters(make)[0]
    claims = claims or derived(make)
    reader, writer, lock, instances = sys.stdin.buffer, sys.stdout.buffer, threading.Lock(), {}
    sys.stdout = sys.stderr  # what a library prints must not get between the frames
    concurrent = claims["storage"]["isConcurrent"]
    pool = ThreadPoolExecutor(32 if concurrent else 1)
    sys.setswitchinterval(1e-5 if concurrent else 5e-3)  # else a thread is hardly ever stopped within an operation

    def answer(request):
        try:
            result = {"done": True}
            if "hello" in request:
                if VERSION not in request["hello"]["versions"]:
                    raise Refused("unsupported", f"this adapter speaks version {VERSION}")
                result = {"hello": {"version": VERSION, "name": name, "claims": claims, "needsDirectory": needs_directory}}
            elif "open" in request:
                instances[request["instance"]] = Instance(make, claims, request["open"])
            elif request.get("release"):
                instances.pop(request["instance"], None)
            else:
                result = instances[request["instance"]].perform(request["step"], request.get("face", 0))
        except Exception as error:
            result = failure(make, error)
        try:
            body = json.dumps({"id": request["id"], **result}).encode()
        except Exception as error:  # a method has returned what is no answer of it
            result = failure(make, TypeError(f"'{request.get('step', {}).get('operation')}' of the adapter returned it: {error}"))
            body = json.dumps({"id": request["id"], **result}).encode()
        if len(body) > FRAME_MAX:
            body = json.dumps({"id": request["id"], "error": {"code": "inputOutput", "message": "an answer too long"}}).encode()
        with lock:
            writer.write(struct.pack(">I", len(body)) + body)
            writer.flush()

    while len(head := reader.read(4)) == 4:
        length = struct.unpack(">I", head)[0]
        if length > FRAME_MAX:
            sys.exit(f"assay_subject: a frame of {length} bytes; the most is {FRAME_MAX}")
        request = json.loads(reader.read(length))
        pool.submit(answer, request) if concurrent else answer(request)


if __name__ == "__main__":
    serve(MappingCache, "dictionary in Python", {"storage": STORE})
