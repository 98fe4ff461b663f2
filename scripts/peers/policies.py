"""Which policies of Assay and of libCacheSim 0.3.5 (its Python package and its command line) are the same rules."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Pair:
    """A policy that both have."""

    name: str  # as Assay calls it, and as --policies names it
    theirs: str  # the class of the Python package
    same: str  # Assay's policy with libCacheSim's rules: same decisions, to the request where both are deterministic
    default: str = ""  # Assay's policy as people run it, if its rules differ
    settings: dict = field(default_factory=dict)  # what the class must be given
    command: str = ""  # the name on the command line of its cachesim
    exact: bool = True  # whether the hits must be equal: not where random numbers or hash functions decide


PAIRS = [
    Pair("fifo", "FIFO", "fifo", command="fifo"),
    Pair("lru", "LRU", "lru", command="lru"),
    Pair("clock", "Clock", "clock", command="clock"),
    Pair("sieve", "Sieve", "sieve", command="sieve"),
    Pair("lru-prob", "LRUProb", "lru-prob", exact=False),
    Pair("lfu", "LFU", "lfu", command="lfu"),
    Pair("lfuda", "LFUDA", "lfuda:dialect=libcachesim", "lfuda"),
    Pair("lru-k", "LRUK", "lru-k:dialect=libcachesim", "lru-k"),
    Pair("slru", "SLRU", "s4lru:dialect=libcachesim", "s4lru", command="slru"),
    Pair("2q", "TwoQ", "2q:dialect=libcachesim", "2q", command="2q"),
    Pair("mq", "MQ", "mq:dialect=libcachesim", "mq", command="mq"),
    Pair("s3fifo", "S3FIFO", "s3fifo:dialect=libcachesim", "s3fifo", command="s3fifo"),
    Pair("clock2q-plus", "Clock2QPlus", "clock2q-plus:dialect=libcachesim", "clock2q-plus"),
    Pair("lirs", "LIRS", "lirs:dialect=libcachesim", "lirs", command="lirs"),
    # The Python package starts with half of the quota; the table of exact results was made with all of it.
    Pair("clock-pro", "ClockPro", "clock-pro:dialect=libcachesim", "clock-pro", settings={"init_ratio_cold": 1.0}),
    Pair("arc", "ARC", "arc:dialect=libcachesim", "arc", command="arc"),
    Pair("lecar", "LeCaR", "lecar", exact=False),
    Pair("cacheus", "Cacheus", "cacheus", exact=False),
    Pair("w-tinylfu", "WTinyLFU", "w-tinylfu", command="wtinyLFU", exact=False),
    Pair("gdsf", "GDSF", "gdsf:dialect=libcachesim", "gdsf"),
    Pair("size", "Size", "size:dialect=libcachesim", "size"),
    # It draws 8 candidates until its model has been renewed 50 times, which takes 52 million requests.
    Pair("lhd", "LHD", "lhd:associativity=8", "lhd", exact=False),
    Pair("hyperbolic", "Hyperbolic", "hyperbolic", exact=False),
    Pair("random", "Random", "random", exact=False),
    # Its Belady breaks ties among objects that never return by the order of its heap: the hits are equal all the same.
    Pair("belady", "Belady", "belady"),
    Pair("belady-size", "BeladySize", "belady-size", exact=False),
]

# For the sweep: those that the command line has too.
SWEPT = [pair for pair in PAIRS if pair.command]
assert len(SWEPT) == 12

# For these replay.py has a target of their own.
SIMPLE = ["lru", "fifo", "clock", "sieve"]
