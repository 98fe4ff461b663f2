"""Instructions for each request of a replay, against recorded counts; called by scripts/check-instructions.

A process replays a trace once, another three times: the difference leaves out what it costs to start and to open the trace.
"""

import argparse
import concurrent.futures
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

POLICIES = ["lru", "fifo", "clock", "sieve", "s3fifo", "arc"]
REQUESTS = 500_000
PASSES = [1, 3]
OBJECTS = 50_000
CAPACITY = 5_000
TOLERANCE = 0.03


def machine():
    """What the counts depend on besides the source."""
    version = subprocess.run(["swift", "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return {"swift": (re.search(r"Swift version \S+", version) or ["unknown"])[0], "architecture": platform.machine()}


def workload(directory, requests):
    """Writes the workload file of a trace; returns its path."""
    path = os.path.join(directory, f"zipf-{requests}.yaml")
    with open(path, "w") as file:
        file.write("kind: generated\ndescription: To count instructions.\norigin: this script\nlicence: CC0-1.0\n"
                   f"generator: zipf\nexponent: 1.0\nrequests: {requests}\nobjects: {OBJECTS}\nseed: 1\n")
    return path


class Counter:
    """Runs assay-dev under valgrind."""

    def __init__(self, assay, directory):
        self.directory = directory
        # The debug information of Swift is more than valgrind 3.19 understands; the instructions are the same without.
        self.assay = os.path.join(directory, "assay-dev")
        subprocess.run(["strip", "--strip-debug", "-o", self.assay, assay], check=True)
        self.store = os.path.join(directory, "store")
        # Hash seeds and addresses are the same in every process, so that counts are too.
        self.environment = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1", "TZ": "UTC"}
        self.prefix = ["setarch", "-R"] if shutil.which("setarch") else []

    def instructions(self, arguments):
        """The instructions of a whole process."""
        name = re.sub(r"\W+", "-", " ".join(arguments))[-100:]
        run = subprocess.run(
            [*self.prefix, "valgrind", "--tool=callgrind", f"--callgrind-out-file={self.directory}/{name}.out",
             self.assay, *arguments, "--compiled-traces", self.store],
            env=self.environment, cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        collected = re.search(r"Collected : (\d+)", run.stderr)
        if run.returncode != 0 or not collected:
            sys.exit(f"check-instructions: valgrind cannot run 'assay-dev {' '.join(arguments)}':\n{run.stderr[-2000:]}")
        return int(collected[1])

    def replaying(self, trace, policy, passes):
        """Of a process that opens a trace and replays it that often."""
        return self.instructions(["measure-replay", "--trace", trace, "--policy", policy, "--capacity", str(CAPACITY),
                                  "--passes", str(passes)])


def count(assay):
    """Instructions for each request, by policy."""
    with tempfile.TemporaryDirectory(prefix="assay-instructions-") as directory:
        counter = Counter(assay, directory)
        trace = workload(directory, REQUESTS)
        # Compiled here, outside valgrind.
        subprocess.run([counter.assay, "inspect", trace, "--compiled-traces", counter.store], check=True,
                       stdout=subprocess.DEVNULL)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = {policy: [pool.submit(counter.replaying, trace, policy, passes) for passes in PASSES]
                    for policy in POLICIES}
            replayed = (PASSES[1] - PASSES[0]) * REQUESTS
            return {policy: round((more.result() - fewer.result()) / replayed, 2)
                    for policy, (fewer, more) in runs.items()}


def compare(recorded, counted):
    """Prints a line for each policy; returns whether all are within the tolerance."""
    good = True
    for policy in POLICIES:
        before, now = recorded.get(policy), counted[policy]
        if before is None:
            print(f"{policy:<8} {now:7.2f} instructions a request, none recorded: FAILED")
            good = False
            continue
        change = now / before - 1
        verdict = "ok" if abs(change) <= TOLERANCE else "FAILED"
        good = good and verdict == "ok"
        print(f"{policy:<8} {now:7.2f} instructions a request, recorded {before:7.2f}, {change:+.1%}: {verdict}")
    return good


def main():
    parser = argparse.ArgumentParser(prog="scripts/check-instructions")
    parser.add_argument("--record", action="store_true", help="write the counts of this build")
    parser.add_argument("--assay", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--recorded", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    here = machine()
    if arguments.record:
        recorded = {**here, "capacity": CAPACITY, "objects": OBJECTS, "requests": REQUESTS,
                    "instructionsPerRequest": count(arguments.assay)}
        with open(arguments.recorded, "w") as file:
            json.dump(recorded, file, indent=2)
            file.write("\n")
        print(json.dumps(recorded, indent=2))
        return
    with open(arguments.recorded) as file:
        recorded = json.load(file)
    there = {name: recorded[name] for name in here}
    if here != there:
        print(f"check-instructions: SKIPPED, nothing was checked: recorded with {', '.join(there.values())}, "
              f"this is {', '.join(here.values())}. Record again with scripts/check-instructions --record.", file=sys.stderr)
        return
    if not compare(recorded["instructionsPerRequest"], count(arguments.assay)):
        sys.exit(f"check-instructions: not within {TOLERANCE:.0%} of {os.path.relpath(arguments.recorded)}. If the change is "
                 "meant (fewer is one too), run scripts/check-instructions --record and commit.")


if __name__ == "__main__":
    main()
