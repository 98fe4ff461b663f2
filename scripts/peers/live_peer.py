"""One pass of one cache from PyPI, or of a server, for scripts/peers-live: prints figures as JSON.

Keys and values are those of Assay's own passes: strings of 20 characters, values of --value-bytes that are made beforehand.
Each cache is used through its own natural API, from as many threads as are asked for.
"""

import argparse
import array
import ctypes
import json
import os
import pwd
import random
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

SAMPLE = 16  # one request in so many is timed, on average


class Cachetools:
    """cachetools.LRUCache, which several threads may use only under a lock."""

    def __init__(self, capacity, threads, _entry):
        import cachetools

        self.cache = cachetools.LRUCache(maxsize=capacity)
        self.lock = threading.Lock() if threads > 1 else None

    def get(self, key):
        if self.lock is None:
            return self.cache.get(key)
        with self.lock:
            return self.cache.get(key)

    def put(self, key, value):
        if self.lock is None:
            self.cache[key] = value
            return
        with self.lock:
            self.cache[key] = value

    def entries(self):
        return len(self.cache)


class Moka:
    """moka_py.Moka: TinyLFU with a window, in Rust."""

    def __init__(self, capacity, _threads, _entry):
        import moka_py

        self.cache = moka_py.Moka(capacity)
        self.get, self.put = self.cache.get, self.cache.set

    def entries(self):
        return self.cache.count()


class Theine:
    """theine.Cache: W-TinyLFU."""

    def __init__(self, capacity, _threads, _entry):
        import theine

        self.cache = theine.Cache(capacity)
        self.put = self.cache.set

    def get(self, key):
        value, found = self.cache.get(key)
        return value if found else None

    def entries(self):
        return len(self.cache)


class Diskcache:
    """diskcache.Cache with its own settings, and LRU; it is limited by bytes, so by what an empty one takes and entries do."""

    def __init__(self, capacity, _threads, entry):
        import diskcache

        self.directory = tempfile.mkdtemp(prefix="assay-diskcache-")
        self.cache = diskcache.Cache(self.directory, eviction_policy="least-recently-used")
        self.cache.reset("size_limit", self.cache.volume() + capacity * entry)
        self.get, self.put = self.cache.get, self.cache.set

    def entries(self):
        return len(self.cache)

    def bytes(self):
        self.cache.close()  # moves the write-ahead log into the database
        return sum(os.path.getsize(os.path.join(folder, name))
                   for folder, _, names in os.walk(self.directory) for name in names)

    def close(self):
        self.cache.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class Server:
    """A server on a socket in a directory of its own, one connection a thread."""

    def __init__(self, name, command):
        self.directory = tempfile.mkdtemp(prefix=f"assay-{name}-")
        self.socket = os.path.join(self.directory, "socket")
        self.process = subprocess.Popen([part.format(self.socket) for part in command], cwd=self.directory,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.local = threading.local()
        deadline = time.monotonic() + 60
        while not os.path.exists(self.socket):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{name} did not start; is it installed? apt-get install redis-server memcached")
            time.sleep(0.02)

    def client(self):
        client = getattr(self.local, "client", None)
        if client is None:
            client = self.local.client = self.connect()
        return client

    def get(self, key):
        return self.client().get(key)

    def put(self, key, value):
        self.client().set(key, value)

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


class Redis(Server):
    """redis-server with allkeys-lru; room for as many entries as take so much memory."""

    def __init__(self, capacity, _threads, entry):
        super().__init__("redis", ["redis-server", "--port", "0", "--unixsocket", "{}", "--save", "", "--appendonly", "no"])
        client = self.client()
        client.config_set("maxmemory-policy", "allkeys-lru")
        if entry:
            client.config_set("maxmemory", self.bytes() + capacity * entry)

    def connect(self):
        import redis

        return redis.Redis(unix_socket_path=self.socket)

    def bytes(self):
        return int(self.client().info("memory")["used_memory"])

    def entries(self):
        return self.client().dbsize()


class Memcached(Server):
    """memcached with as many whole megabytes as so many entries take; it evicts by slab class."""

    def __init__(self, capacity, _threads, entry):
        megabytes = max(2, round(capacity * (entry or 1024) / 2**20))
        super().__init__("memcached", ["memcached", "-s", "{}", "-m", str(megabytes), "-t", "2",
                                       "-u", pwd.getpwuid(os.getuid()).pw_name])

    def connect(self):
        from pymemcache.client.base import Client

        return Client(self.socket, no_delay=True)

    def put(self, key, value):
        self.client().set(key, value, noreply=False)

    def bytes(self):
        return int(self.client().stats()[b"bytes"])

    def entries(self):
        return int(self.client().stats()[b"curr_items"])


PEERS = {"cachetools": Cachetools, "moka-py": Moka, "theine": Theine, "diskcache": Diskcache, "redis": Redis,
         "memcached": Memcached}
OUTSIDE = {"redis", "memcached", "diskcache"}  # keep bytes of their own: nothing of them lies in this process


def trace_ids(path):
    """The objects of an oracleGeneral trace, renumbered in order of first appearance."""
    with open(path, "rb") as file:
        raw = file.read()
    numbers, ids = {}, array.array("I")
    for offset in range(4, len(raw), 24):
        ids.append(numbers.setdefault(raw[offset:offset + 8], len(numbers)))
    return ids, len(numbers)


def allocated():
    """The bytes that jemalloc has given out; None without it."""
    try:
        mallctl = ctypes.CDLL(None).mallctl
    except AttributeError:
        return None
    epoch, size = ctypes.c_uint64(1), ctypes.c_size_t(8)
    mallctl(b"epoch", ctypes.byref(epoch), ctypes.byref(size), ctypes.byref(epoch), size)
    count = ctypes.c_size_t()
    mallctl(b"stats.allocated", ctypes.byref(count), ctypes.byref(size), None, ctypes.c_size_t(0))
    return count.value


def drive(peer, keys, values, places, pass_name, seed):
    """Makes the requests of one thread; returns hits, and times in nanoseconds of a sample: of reads alone, and with the writes that
    followed."""
    hits, times, generator = 0, [], random.Random(seed)
    get, put, is_timed, only_reads = peer.get, peer.put, pass_name == "latency", pass_name == "reads"
    for place in places:
        key, value = keys[place], values[place]
        start = time.perf_counter_ns() if is_timed and generator.random() * SAMPLE < 1 else None
        found = get(key)
        # Whoever asks for a value reads it.
        is_hit = found is not None and found[0] == value[0]
        read = time.perf_counter_ns() if start else None
        if is_hit:
            hits += 1
        elif not only_reads:
            put(key, value)
        if start:
            times.append((read - start, time.perf_counter_ns() - start))
    return hits, times


def load(peer, options, keys, values, ids, objects):
    """A pass with clocks outside, or with a sample of requests timed."""
    capacity = min(options.capacity, objects)
    if options.pass_name == "reads":
        for place in range(capacity):
            peer.put(keys[place], values[place])
        places = [ids[position % len(ids)] % capacity for position in range(options.requests)]
    else:
        drive(peer, keys, values, ids[:options.warm_up], "replay", 0)
        places = [ids[(options.warm_up + position) % len(ids)] for position in range(options.requests)]
    shares = [places[thread::options.threads] for thread in range(options.threads)]
    results = [None] * options.threads
    gate = threading.Barrier(options.threads + 1)

    def work(thread):
        gate.wait()
        results[thread] = drive(peer, keys, values, shares[thread], options.pass_name, thread)

    workers = [threading.Thread(target=work, args=(thread,)) for thread in range(options.threads)]
    for worker in workers:
        worker.start()
    gate.wait()
    start = time.perf_counter()
    for worker in workers:
        worker.join()
    figures = {"requests": options.requests, "seconds": time.perf_counter() - start,
               "hits": sum(hits for hits, _ in results), "entries": peer.entries()}
    reads, requests = (sorted(time[kind] for _, part in results for time in part) for kind in (0, 1))
    if requests:
        figures["p50Nanoseconds"] = int(statistics.median(requests))
        figures["p99Nanoseconds"], figures["readP99Nanoseconds"] = (times[len(times) * 99 // 100] for times in (requests, reads))
    return figures


def memory(make, options, keys, values):
    """Fills a cache and looks at what it takes besides keys and values."""
    count = min(options.capacity, len(keys))
    is_outside = options.subject in OUTSIDE
    warm = make(1 << 30 if is_outside else count)  # whatever a library loads at its first use
    warm.put(keys[0], values[0])
    before = warm.bytes() if is_outside else None
    if hasattr(warm, "close"):
        warm.close()
    if not is_outside:
        before = allocated()
    peer = make(1 << 30 if is_outside else count)
    for place in range(count):
        peer.put(keys[place], values[place])
    entries = peer.entries()
    after = peer.bytes() if is_outside else allocated()
    # References to a key and a value, or the two themselves.
    place_bytes = len(keys[0]) + len(values[0]) if is_outside else 16
    figures = {"requests": count, "entries": entries, "hits": 0, "seconds": 0}
    if before is not None and after is not None and (is_outside or after - before >= 16 * entries):
        # Less than the references to key and value: the library has an allocator of its own, which nobody counts.
        figures["bytesPerEntry"] = (after - before) / max(entries, 1) - place_bytes
    return peer, figures


def core(peer, path):
    """diskcache's own benchmark from a file of operations of 8 bytes; making values is outside of the times."""
    with open(path, "rb") as file:
        raw = file.read()
    times, hits = ([], [], []), 0
    for offset in range(0, len(raw), 8):
        kind, repeats = raw[offset], int.from_bytes(raw[offset + 2:offset + 4], "little")
        key = str(raw[offset + 1]).encode()
        value = str(int.from_bytes(raw[offset + 4:offset + 8], "little")).encode() * repeats
        start = time.perf_counter_ns()
        if kind == 0:
            found = peer.cache.get(key)
        elif kind == 1:
            peer.cache.set(key, value)
        else:
            peer.cache.delete(key)
        times[kind].append(time.perf_counter_ns() - start)
        hits += kind == 0 and found is not None
    return {"operations": len(raw) // 8, "hits": hits, "seconds": sum(map(sum, times)) / 1e9,
            **{name: int(statistics.median(part)) for name, part in
               zip(["getNanoseconds", "setNanoseconds", "deleteNanoseconds"], times)}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("subject", choices=PEERS)
    parser.add_argument("pass_name", choices=["reads", "replay", "latency", "memory", "core"])
    parser.add_argument("--trace")
    parser.add_argument("--operations")
    parser.add_argument("--capacity", type=int, default=10_000)
    parser.add_argument("--value-bytes", type=int, default=256)
    parser.add_argument("--entry-bytes", type=int, default=0, help="what an entry takes of a limit in bytes")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--warm-up", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()

    def make(capacity):
        return PEERS[options.subject](capacity, options.threads, options.entry_bytes or 1)

    if options.pass_name == "core":
        import diskcache

        peer = Diskcache(1, 1, 1)
        peer.cache = diskcache.Cache(peer.directory)  # its settings as they come
        figures = core(peer, options.operations)
    else:
        ids, objects = trace_ids(options.trace)
        keys = ["object/" + str(number).rjust(13, "0") for number in range(objects)]
        values = [bytes([number & 255]) * options.value_bytes for number in range(objects)]
        if options.pass_name == "memory":
            peer, figures = memory(make, options, keys, values)
        else:
            # Reads are of entries that are all there.
            peer = make(options.capacity * (4 if options.pass_name == "reads" and options.subject in OUTSIDE else 1))
            figures = load(peer, options, keys, values, ids, objects)
    if hasattr(peer, "close"):
        peer.close()
    print(json.dumps(figures))


main()
