"""The exact curve of LRU against one replay of LRU, interleaved, one core each; called by scripts/curve-speed."""

import argparse
import os
import statistics
import subprocess
import tempfile


def processor_seconds(command):
    """Runs a command; returns the processor time that it took in user mode and in the kernel."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)} ended with status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--workload", default="zipf-20m")
    parser.add_argument("--capacity", default="10000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bytes", action="store_true", help="curve and replay in bytes; give --capacity as 1%%B")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        def run(*words):
            return processor_seconds([
                arguments.assay, *words, "--quiet", "--jobs", "1", "--trace", arguments.workload, "--policy", "lru",
                "--out", os.path.join(directory, words[0])])

        def rounds():
            for _ in range(arguments.rounds):
                # What opening the trace takes is no part of either side.
                opening = processor_seconds([arguments.assay, "trace", "print", "-n", "1", arguments.workload])
                curve = run("curve", "--method", "exact", *(["--bytes"] if arguments.bytes else [])) - opening
                yield curve, run("run", "--capacity", arguments.capacity) - opening

        run("run", "--capacity", arguments.capacity)  # compiles the trace and warms the page cache
        pairs = list(rounds())
    for curve, replay in pairs:
        print(f"curve {curve:.3f} s, replay {replay:.3f} s, ratio {curve / replay:.2f}")
    ratios = [curve / replay for curve, replay in pairs]
    print(f"{arguments.workload}, {arguments.rounds} rounds, processor time: median ratio {statistics.median(ratios):.2f}, "
          f"from {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main()
