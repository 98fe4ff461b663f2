"""Assay's subject protocol for caches in Python: docs/subject-protocol.md. A cache is a class with a method for each operation that
it has (put, get, contains, remove, ...), opened with `cache(directory, capacity, time_to_idle, now)`; `serve(cache, name, claims)`
answers Assay until it closes the pipe. Keys and values are bytes. A method that is missing answers `unsupported`; one may raise
Refused. This file itself serves a dictionary."""
import json
import struct
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

VERSION = 1
STORE = {"keyBytesMax": 65536, "allowsEmptyKey": True, "valueBytesMax": 1 << 24, "retains": True, "iterates": True,
         "durability": "volatile", "isConcurrent": False}


class Refused(Exception):
    """One of the protocol's codes (closed, keyRefused, valueRefused, full, unsupported, inputOutput), and a message."""


class Cache:
    """What all caches share."""
    is_closed = False

    def __init__(self, directory=None, capacity=None, time_to_idle=None, now=None): pass

    def close(self): self.is_closed = True

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


# What becomes of a method's result, by operation; the rest return nothing.
entry = lambda value: {"entry": None if value is None else {"value": value.hex()}}
ANSWERS = {
    "get": entry, "exchange": entry, "take": entry,
    "getMany": lambda values: {"entries": [entry(value)["entry"] for value in values]},
    "keys": lambda keys: {"keys": [key.hex() for key in keys]},
    "remainingTime": lambda left: {"time": left}, "statistics": lambda counters: {"statistics": counters},
    "events": lambda events: {"events": [
        {"key": key.hex(), "value": value.hex(), "cause": cause} for key, value, cause in events]},
    "load": lambda loaded: {"loaded": "nothing" if loaded[0] is None else "value", "calls": loaded[1],
                            **({} if loaded[0] is None else entry(loaded[0]))},
    **{name: lambda flag: {"flag": bool(flag)}
       for name in ("contains", "remove", "putIfAbsent", "replace", "compareAndSet", "touch")},
    **{name: lambda number: {"number": number} for name in ("count", "cost", "removeMany")},
}


class OriginFailed(Exception):
    """The loader's own error, which a cache must pass on."""


def perform(cache, step):
    """Does one step and says what came of it, as JSON has it."""
    name, key = step["operation"], bytes.fromhex(step.get("key", ""))
    if name == "pause":
        return {"done": time.sleep(step["amount"] / 1000) is None}
    if cache.is_closed and name != "close":
        raise Refused("closed", "the cache is closed")
    method = None if "group" in step else getattr(cache, name, None)
    if method is None:
        raise Refused("unsupported", f"'{name}' is not among what this cache does")
    arguments = [key] if "key" in step else [[bytes.fromhex(k) for k in step["keys"]]] if "keys" in step else []
    arguments += [bytes.fromhex(step["expected"]["value"])] if "expected" in step else []
    arguments += [step[name] for name in ("amount", "tag") if name in step]
    if name == "load":
        calls = []
        def origin():
            calls.append(key)
            for other in step.get("meanwhile", []):
                perform(cache, other)
            if step["origin"] == "failure":
                raise OriginFailed()
            return bytes.fromhex(step["value"]) if step["origin"] == "value" else None
        try:
            return ANSWERS[name]((method(key, origin, **step.get("terms", {})), len(calls)))
        except OriginFailed:
            return {"loaded": "failed", "calls": len(calls)}
    if "value" in step:
        arguments.append(bytes.fromhex(step["value"]))
    return ANSWERS.get(name, lambda nothing: {"done": True})(method(*arguments, **step.get("terms", {})))


def within(store, step, cache):
    """The step, unless a key or a value of it is outside of what is claimed. A refused value ends the old one too."""
    keys = [step["key"]] if "key" in step else step.get("keys", [])
    if any(len(key) > 2 * store["keyBytesMax"] or not (key or store.get("allowsEmptyKey")) for key in keys):
        raise Refused("keyRefused", "the claims allow no key of this length")
    if len(step.get("value", "")) > 2 * store["valueBytesMax"]:
        perform(cache, {"operation": "remove", "key": step["key"]})
        raise Refused("valueRefused", "the claims allow no value of this length")
    return step


def serve(make, name, claims, needs_directory=False):
    """Answers requests until the pipe is closed; several at once if the claims say that the cache is concurrent."""
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
                settings = ("directory", "capacity", "timeToIdleNanoseconds", "nowNanoseconds")
                instances[request["instance"]] = make(*map(request["open"].get, settings))
            elif request.get("release"):
                instances.pop(request["instance"], None)
            else:
                cache = instances[request["instance"]]
                result = perform(cache, within(claims["storage"], request["step"], cache))
        except Refused as error:
            result = {"error": dict(zip(("code", "message"), error.args))}
        except Exception as error:
            traceback.print_exc()
            result = {"error": {"code": "inputOutput", "message": f"{type(error).__name__}: {error}"}}
        body = json.dumps({"id": request["id"], **result}).encode()
        with lock:
            writer.write(struct.pack(">I", len(body)) + body)
            writer.flush()

    while len(head := reader.read(4)) == 4:
        request = json.loads(reader.read(struct.unpack(">I", head)[0]))
        pool.submit(answer, request) if concurrent else answer(request)


if __name__ == "__main__":
    serve(MappingCache, "dictionary in Python", {"storage": STORE})
