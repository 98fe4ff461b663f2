"""One pass of libCacheSim over an oracleGeneral file, in a process of its own so that it can be stopped and may crash.

Usage: peer.py '{"policy": "LRU", "trace": "x.oracleGeneral", "capacity": 100, "settings": {"hashpower": 16}}'
Prints the seconds of process_trace, those with opening the file, and the share of requests that missed, as JSON.
"""

import json
import sys
import time

import libcachesim as lcs


def main():
    order = json.loads(sys.argv[1])
    opening = time.perf_counter()
    # Its Belady insists on the trace type in the path; the sizes in the file are 1, so bytes are objects.
    reader = lcs.TraceReader(order["trace"], lcs.TraceType.ORACLE_GENERAL_TRACE)
    cache = getattr(lcs, order["policy"])(cache_size=order["capacity"], **order["settings"])
    start = time.perf_counter()
    miss_ratio, _ = cache.process_trace(reader)
    end = time.perf_counter()
    print(json.dumps({"seconds": end - start, "secondsWithOpening": end - opening, "missRatio": miss_ratio}))


if __name__ == "__main__":
    main()
