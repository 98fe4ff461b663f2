"""How fast traces are read, beside what reads the same bytes otherwise; called by scripts/trace-rates.

Assay reads, numbers the objects and writes the compiled trace; libCacheSim reads and counts the objects (its working set size); 'wc -l' only
counts lines and 'zstd -d' only unpacks. All by processor time, user and kernel, over all threads of the process; 'wall' is Assay's time on
the clock, in which its three threads overlap. What starting a process takes is subtracted.
"""

import argparse
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time

# The formats that its reader has.
LIBCACHESIM_KINDS = ("oracle", "csv", "plain")
LIBCACHESIM = """
import sys, libcachesim as lib
path, kind = sys.argv[1:]
if kind == "none": sys.exit()
params = lib.ReaderInitParam()
if kind == "csv":
    params = lib.ReaderInitParam(has_header=True, has_header_set=True, delimiter=",", obj_id_is_num=True, obj_id_is_num_set=True)
    params.time_field, params.obj_id_field, params.obj_size_field = 1, 2, 3
kinds = {"oracle": lib.TraceType.ORACLE_GENERAL_TRACE, "csv": lib.TraceType.CSV_TRACE, "plain": lib.TraceType.PLAIN_TXT_TRACE}
print(lib.TraceReader(path, kinds[kind], params).get_working_set_size())
"""


def measured(command):
    """Runs a command; returns its processor time, its time on the clock, and its largest resident memory in bytes."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise RuntimeError(f"{' '.join(command)[:200]} ended with status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss * 1024


def write_traces(folder, requests):
    """One sequence of requests in three formats; returns the files with the formats by which Assay reads them."""
    files = {
        "oracle": (f"{folder}/x.oracleGeneral", "oracle-general"),
        "csv": (f"{folder}/x.csv", "csv:key=key,size=size,time=time,header"),
        "plain": (f"{folder}/x.txt", "plain"),
        "combined": (f"{folder}/access.log", "combined"),
    }
    state = 1
    with open(files["oracle"][0], "wb") as oracle, open(files["csv"][0], "w") as csv, open(files["plain"][0], "w") as plain, \
            open(files["combined"][0], "w") as log:
        csv.write("time,key,size\n")
        for start in range(0, requests, 1 << 16):
            rows = []
            for index in range(start, min(requests, start + (1 << 16))):
                state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
                # Of 65,536 objects, so that reading is what takes the time: the lower of two draws, so that low keys are asked for more often.
                key = min(state >> 48, state >> 24 & 0xFFFF)
                rows.append((1700000000 + index // 1000, key * 2654435761 % (1 << 40), key % 8192 + 1))
            oracle.write(b"".join(struct.pack("<IQIq", *row, index + 1) for index, row in enumerate(rows, start)))
            csv.write("".join(f"{seconds},{key},{size}\n" for seconds, key, size in rows))
            plain.write("".join(f"{key}\n" for _, key, _ in rows))
            if start < requests // 4:
                minutes = f"{start // 60_000 % 60:02}"
                log.write("".join(
                    f'10.0.0.1 - - [26/Nov/2026:12:{minutes}:00 +0000] "GET /objects/{key} HTTP/1.1" 200 {size} "-" "curl/8.5.0"\n'
                    for _, key, size in rows))
    return files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=8_000_000)
    arguments = parser.parse_args()
    try:
        import libcachesim  # noqa: F401
        has_peer = True
    except ImportError:
        has_peer = False
    with tempfile.TemporaryDirectory() as folder:
        files = write_traces(folder, arguments.requests)
        empty = f"{folder}/empty.txt"
        with open(empty, "w") as file:
            file.write("1\n")

        def assay(path, form):
            # A folder of its own each time, so that nothing has been compiled before.
            with tempfile.TemporaryDirectory(dir=folder) as compiled:
                return measured([arguments.assay, "trace", "print", "-n", "1", path, "--format", form, "--compiled-traces", compiled])

        def peer(path, kind):
            return measured([sys.executable, "-c", LIBCACHESIM, path, kind])

        print(f"{'format':8}{'MiB':>6}{'Mreq/s':>9}{'MB/s':>7}{'wall MB/s':>11}{'/ wc -l':>9}{'/ zstd -d':>11}{'/ libCacheSim':>15}{'resident MiB':>14}")
        for kind, (path, form) in files.items():
            size = os.path.getsize(path)
            with open(path, "rb") as file:
                requests = size // 24 if kind == "oracle" else sum(1 for _ in file)
            subprocess.run(["zstd", "-q", "-f", path, "-o", path + ".zst"], check=True)
            rounds = []
            for _ in range(arguments.rounds):
                idle = assay(empty, "plain")
                cpu, wall, memory = assay(path, form)
                reading = max(cpu - idle[0], 1e-9)
                lines = measured(["wc", "-l", path])[0]
                unpacking = measured(["zstd", "-q", "-d", "-c", path + ".zst"])[0]
                peers = None
                if has_peer and kind in LIBCACHESIM_KINDS:
                    try:
                        peers = peer(path, kind)[0] - peer(path, "none")[0]
                    except RuntimeError as error:
                        print(f"trace-rates: {error}", file=sys.stderr)
                rounds.append((reading, wall - idle[1], memory, lines, unpacking, peers))
            median = [
                statistics.median(values) if None not in values else None for values in zip(*rounds)
            ]
            reading, wall, memory, lines, unpacking, peers = median
            peer_ratio = f"{peers / reading:.2f}" if peers else "-"
            print(
                f"{kind:8}{size / 2**20:6.0f}{requests / reading / 1e6:9.1f}{size / reading / 1e6:7.0f}{size / wall / 1e6:11.0f}"
                f"{lines / reading:9.3f}{unpacking / reading:11.3f}{peer_ratio:>15}{memory / 2**20:14.0f}", flush=True)
    print("A ratio is the other's processor time over Assay's: above 1, Assay is faster.")


if __name__ == "__main__":
    main()
