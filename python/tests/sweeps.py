"""What is run on one machine and by schedulers, and must give the same. Shared by tests and scripts."""

import contextlib
import json
import random
import shlex
import socket
import subprocess

from assay import command_path

# Stands for the command on a node, and says which shards it was given where: one node is slow, and on one the command stands still in
# the middle of its first shard, until the node is killed.
STAND_IN = """#!/bin/bash
REAL={command} LOG={log}
NODE=${{NODE:-${{SLURMD_NODENAME:-}}}}
[ "$1 $2" = "sweep run" ] || exec "$REAL" "$@"
shard=${{5%%/*}}
echo "start $shard $NODE" >>"$LOG"
setpriv --pdeathsig KILL "$REAL" "$@" &
if [ "$NODE" = doomed ]; then
    until [ -s "$3/work/$shard/cells.jsonl" ] || ! kill -0 $! 2>/dev/null; do :; done
    if kill -STOP $! 2>/dev/null; then
        if compgen -G "$3/results/0/$shard-*" >/dev/null; then kill -CONT $!; else echo "still $shard $NODE" >>"$LOG"; fi
    fi
elif [ "$NODE" = slow ]; then
    sleep 2
fi
wait $!
status=$?
[ $status != 0 ] || echo "end $shard $NODE" >>"$LOG"
exit $status
"""


def stand_in(folder, log):
    """Writes the stand-in; its path."""
    path = folder / "stand-in"
    path.write_text(STAND_IN.format(command=shlex.quote(command_path()), log=shlex.quote(str(log))))
    path.chmod(0o755)
    return path


def lines(log, word):
    """The words of the lines that begin so."""
    return [line.split() for line in log.read_text().splitlines() if line.startswith(word)] if log.exists() else []


def assay(folder, *words):
    """Runs the command in a folder."""
    ran = subprocess.run([command_path(), *map(str, words)], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def exact(folder):
    """The results of a folder without what is measured, and without the words that asked for them."""
    results = json.loads((folder / "results.json").read_text())
    for name in ("startedAt", "durationSeconds", "commandLine", "warnings"):
        results.pop(name, None)
    results["environment"].pop("loadAverage", None)
    for cell in results["cells"]:
        for name in ("requestsPerSecond", "throughputRange"):
            cell.pop(name, None)
    return results


class Plan:
    """Traces of some requests each and the file of a plan, in a folder."""

    def __init__(self, folder, requests, traces=3, pattern="traces/*.txt"):
        self.folder = folder
        (folder / "traces").mkdir(parents=True)
        for number in range(traces):
            source = random.Random(number)
            keys = (int(source.paretovariate(0.8)) % 5000 for _ in range(requests))
            (folder / f"traces/t{number}.txt").write_text("\n".join(map(str, keys)) + "\n")
        self.file = folder / "plan.yaml"
        self.file.write_text(
            f"description: Traces of a test.\nruns:\n  - traces: [{pattern}]\n"
            "    policies: [lru, sieve, s3fifo, arc]\n    capacities: [1%, 5%, 10%, 20%, 30%, 40%]\n"
        )

    def planned(self, out="sweep", parts=1):
        """Plans it, with each trace in so many parts; the directory of the sweep."""
        minutes = 100
        if parts > 1:
            # What the plan itself expects of a trace.
            plan = json.loads((self.planned(f"{out}-whole") / "plan.json").read_text())
            minutes = max(shard["seconds"] for shard in plan["shards"]) / (parts - 0.5) / 60
        assay(self.folder, "sweep", "plan", self.file, "--out", out, "--shard-minutes", minutes)
        return self.folder / out

    def whole(self):
        """What one run of it gives."""
        assay(self.folder, "run", "--suite", self.file, "--out", "whole", "--quiet")
        return exact(self.folder / "whole")


def ray_cluster(cpus, names=()):
    """A cluster of Ray on this machine: a head of some processors, and nodes of one; with the nodes by their names."""
    from ray.cluster_utils import Cluster

    def ports():
        kinds = ("metrics_agent_port", "metrics_export_port", "dashboard_agent_listen_port", "runtime_env_agent_port")
        with contextlib.ExitStack() as stack:
            sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in kinds]
            return dict(zip(kinds, (each.getsockname()[1] for each in sockets)))

    # Ray ends a node whose agent has not begun to listen within 15 seconds, which a busy machine may not give it.
    for tries in range(5):
        cluster = Cluster()
        try:
            cluster.add_node(num_cpus=cpus, include_dashboard=False, **ports())
            nodes = {
                name: cluster.add_node(
                    num_cpus=1, memory=1 << 30, object_store_memory=80 << 20, env_vars={"NODE": name}, wait=False, **ports(),
                    node_ip_address=f"127.0.0.{number}",  # the driver belongs to the head, as on another machine
                )
                for number, name in enumerate(names, 2)
            }  # fmt: skip
            cluster.wait_for_nodes()
            return cluster, nodes
        except Exception:
            with contextlib.suppress(Exception):
                cluster.shutdown()
            if tries == 4:
                raise
