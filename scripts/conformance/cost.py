"""What the conformance suite and the history checker cost; called by scripts/conformance-cost, which says what it does."""

import argparse
import json
import os
import random
import sys
import tempfile
import time

SUITE_SECONDS = {"release": 60, "debug": 180}
SUITE_MEGABYTES = 500
HISTORY_SECONDS = 10
SUBJECTS = ["reference", "dictionary", "log", "cache:lru", "cache:s3fifo", "tiers:dictionary"]


def measured(command):
    """Runs a command; its wall time in seconds, the memory of its largest process in MB, and its status."""
    start = time.monotonic()
    child = os.posix_spawn(
        command[0], command, os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    # What it waited for counts with it.
    _, status, usage = os.wait4(child, 0)
    return time.monotonic() - start, usage.ru_maxrss / 1000, os.waitstatus_to_exitcode(status)


def write_history(path, operations, clients=16, keys=100, seed=1):
    """A history that is linearizable: each operation takes effect at a moment within its time, in the order of the lines."""
    generator = random.Random(seed)
    values = {}
    with open(path, "w") as file:
        print(json.dumps({"assay-history": 1, "time": "nanoseconds"}), file=file)
        free = [0] * clients
        moment = 0
        for number in range(1, operations + 1):
            client = min(range(clients), key=free.__getitem__)
            moment = max(moment + 10, free[client] + 1)
            call = max(free[client], moment - generator.randrange(60))
            end = moment + 1 + generator.randrange(60)
            free[client] = end + 1
            key = generator.randrange(keys)
            record = {"client": client, "op": "get", "key": f"k{key}", "call": call, "return": end}
            choice = generator.random()
            if choice < 0.3:
                values[key] = str(number)
                record.update(op="put", value=str(number))
            elif choice < 0.4:
                record.update(op="remove", result=values.pop(key, None) is not None)
            else:
                record.update(result=values.get(key))
            print(json.dumps(record), file=file)


def main():
    parser = argparse.ArgumentParser(prog="scripts/conformance-cost")
    parser.add_argument("--assay", required=True)
    parser.add_argument("--build", default="release", choices=SUITE_SECONDS)
    parser.add_argument("--operations", type=int, default=1_000_000, help="in the history")
    parser.add_argument("subjects", nargs="*", default=SUBJECTS)
    arguments = parser.parse_args()
    missed = False

    def tell(name, command, seconds_most, megabytes_most):
        nonlocal missed
        seconds, megabytes, status = measured([arguments.assay, *command])
        is_met = seconds <= seconds_most and megabytes <= megabytes_most and status == 0
        missed = missed or not is_met
        print(f"{'met   ' if is_met else 'MISSED'} {name:<36} {seconds:7.1f} s of {seconds_most:3}   "
              f"{megabytes:6.0f} MB of {megabytes_most}   status {status}", flush=True)

    for subject in arguments.subjects:
        tell(subject, ["conform", subject], SUITE_SECONDS[arguments.build], SUITE_MEGABYTES)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "history.jsonl")
        write_history(path, arguments.operations)
        tell(f"a history of {arguments.operations} operations", ["check-history", path], HISTORY_SECONDS, 4 * SUITE_MEGABYTES)
    sys.exit(2 if missed else 0)


main()
