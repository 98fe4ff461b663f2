"""Every command of the guides is run, each guide in a folder of its own that holds what its reader has. See scripts/test-docs."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import test_documents as documents

ROOT = documents.ROOT
# What is not run: it builds for minutes (continuous integration does it), needs packages of other systems, or crashes as it should.
ELSEWHERE = r"scripts/(?!run)|scripts/run +#|scripts/run .*--all *(#|$)|ASSAY_|python3 scripts|swift build|\.build/release/assay-dev|pip install|.*urlcache|.*mycache"
# What a reader has time for, and what is run in its place.
SHORTER = [
    (r"zipf-20m", "zipf-1.0"), (r"--requests 5000000", ""), (r"100_000_000 --objects 33_333_333", "100000 --objects 33333"), (r"1_000_000", "10000"), (r"--seeds 10000", "--seeds 2"),
    (r"--policy all", "--policy lru,arc"), (r"--trace \S+(?=.*--backend)", "--trace few.csv"), (r"lognormal:1ms", "lognormal:50us"),
    (r"bench --trace [\w.-]+", "bench --step-seconds 0.1 --repetitions 1 --trace few.csv"), (r"--rate 2000,4000,8000", "--rate 2000"),
    (r" --scale 0.1", ""), (r"--system [\w,-]+", "--system record-cache --scale 0.001"), (r":8000\b", ":0"), (r"/var/(cache|log/shop)/", ""),
    (r"^assay watch ", "assay watch --linger 0 "), (r"fetch public lirs --out traces", "fetch public lirs --list"), (r"KEY,PER-3", "KEY-1,PER-3"), (r"--suggest-claims", "--suggest-claims --profile core"),
    (r"^(assay (?:watch --linger 0 )?conform (?!.*(policy:|--section|--profile|--explain|--replay|init))[^#]*)", r"\1 --section BAS-1,KEY-1 "),
]  # fmt: skip
# Policies that learn need a library, which scripts/test gets where it can.
if not os.environ.get("ASSAY_LIGHTGBM"):
    SHORTER.append((r",(lrb|3l-cache|gl-cache)[^, ]*", ""))
# Commands that end with another status than 0, as the guide says or as their input makes them.
STATUS = {r"# FAIL, status 2|as-shipped": 2, r"--clock faketime": 69}  # the skeleton has no times to live
# What the reader of a guide has.
GIVEN = {
    "benchmarking.md": "csv few.csv time=1,key=2,size=3",
    "comparing.md": """
        csv few.csv time=1,key=2,size=3
        cp "$LOG" access.log
        for name in out monday tuesday; do assay run --trace build-files --policy lru,arc --capacity 10% --out $name --quiet; done""",
    "conformance.md": """
        echo '[{"check": "TTL-9", "reason": "0 means no end"}]' >known.json
        assay conform cache:lru --section KEY-1 --json old.json
        echo '[{"operation": "get", "key": "61"}]' >program.json
        echo '{:process 0, :type :invoke, :f :read, :value nil}' >etcd.log
        echo '{:process 0, :type :ok, :f :read, :value nil}' >>etcd.log
        cp etcd.log kv.edn
        cp etcd.log cache.jsonl""",
    "gating.md": """
        mkdir here && cd here && csv requests.csv time=1,key=2,size=3 && git init --quiet && git config user.name reader && git config user.email reader@example.org
        git commit --quiet --allow-empty --message first
        for name in before after results; do assay run --trace build-files --policy lru --capacity 10% --out $name --quiet; done
        printf 'baseline: baseline\\nresults: results\\n' >gate.yaml""",
    "http-cache.md": """
        mkdir public && echo '<p>There is a cache.</p>' >public/index.html && echo map >public/map && echo '{}' >pins.json
        echo 'https://example.org/index.html ; Wed, 25 Nov 2026 10:00:00 GMT ; Fri, 25 Dec 2026 10:00:00 GMT' >list
        mkdir example.org && cp public/index.html example.org/""",
    "library.md": """cp "$RECORDING" pages-1.recording""",
    "sweeps.md": """
        echo 'description: two policies' >corpus.yaml
        echo 'runs: [{traces: [build-files, sqlite-pages], policies: [lru, s3fifo], capacities: [1%, 10%]}]' >>corpus.yaml
        sbatch() { grep -q array "$1"; } && kubectl() { grep -q Indexed; }
        # A driver's words are read and nothing is driven: scripts/test-python does that.
        reads='import importlib, sys; importlib.import_module(sys.argv[1])._arguments(sys.argv[2:])'
        python() { PYTHONPATH=$(dirname "$CSV")/../../python/src python3 -B -c "$reads" "${@:2}"; }""",
    "trace-tools.md": """
        for name in web mail again; do csv $name.csv time=1,key=2,size=3 && assay trace convert $name.csv $name.assay; done""",
}
# A server answers until it is stopped: it is asked for its address and stopped.
PRELUDE = """
csv() { python3 -B "$CSV" "$@"; }
PS4='+ $SECONDS s: '
serves() {
    rm -f served
    "$@" >served 2>&1 &
    for _ in $(seq 300); do grep -q http://127.0.0.1 served && break; sleep 0.1; done
    grep http://127.0.0.1 served
    kill $! && wait $!
}
status() { local wanted=$1 got=0; shift; "$@" || got=$?; [ $got = $wanted ] || { echo "status $got, not $wanted: $*"; exit 1; }; }
"""


def write_csv(path, columns):
    """A trace with each named column at its place, under a header."""
    values = {
        "time": lambda i: i * 60, "key": lambda i: f"k{i * i % (7 + i % 990)}", "size": lambda i: 100 + i % 7, "cost": lambda i: 1 + i % 5,
        "op": lambda i: "set" if i % 9 == 0 else "get", "tenant": lambda i: f"t{i % 3}",
    }  # fmt: skip
    places = {int(place): name for name, place in columns}
    names = [places.get(place + 1, "time" if place == 0 else "other") for place in range(max(places))]
    rows = [",".join(names)] + [",".join(str(values.get(name, int)(i)) for name in names) for i in range(2_000)]
    path.write_text("\n".join(rows) + "\n")


class GuideTests(unittest.TestCase):
    def test_commands_of_the_guides_run(self):
        """An example that stopped working stays in a guide until somebody types it."""
        count = 0
        for guide in documents.GUIDES:
            with self.subTest(guide.name), tempfile.TemporaryDirectory() as name:
                count += self.run_guide(guide, Path(name))
        self.assertGreater(count, 80)

    def run_guide(self, guide, folder):
        (folder / "bin").mkdir()
        (folder / "bin" / "assay").symlink_to(documents.ASSAY)
        for link in ("Examples", "Sources", "Workloads"):
            (folder / link).symlink_to(ROOT / link)
        script, count = [PRELUDE, GIVEN.get(guide.name, "")], 0
        for block, _ in documents.blocks(guide.read_text(), "sh"):
            for line in block.replace("\\\n", " ").splitlines():
                line = re.sub(r"^(scripts/run( --with \S+)?|\.build/release/assay) (?=\w)", "assay ", line)
                if re.match(ELSEWHERE, line):
                    continue
                name = line.removeprefix("assay ").partition(" ")[0]
                if name in documents.OPTIONAL and documents.help_of((name,)) is None:
                    continue
                for pattern, shorter in SHORTER:
                    line = re.sub(pattern, shorter, line)
                for number, (path, columns) in enumerate(re.findall(r"(\w+\.csv).*--format csv:(\S+)", line)):
                    script.append(f"csv {path} {columns}")
                wanted = next((status for pattern, status in STATUS.items() if re.search(pattern, line)), 0)
                if line.startswith("assay "):
                    count += 1
                    line = ("serves " if line.startswith("assay http-cache") else f"status {wanted} ") + line
                script.append(line)
        environment = {
            **os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "CSV": __file__, "LOG": str(ROOT / "Tests/formats/combined/apache.log"), "RECORDING": str(ROOT / "Tests/formats/recording/rotated.recording"),
        }  # fmt: skip
        with (folder / "said.txt").open("w") as said:
            ran = subprocess.run(
                ["timeout", "900", "bash", "-euxo", "pipefail", "-c", "\n".join(script)], cwd=folder, env=environment,
                stdout=said, stderr=said,
            )  # fmt: skip
        self.assertEqual(ran.returncode, 0, (folder / "said.txt").read_text(errors="replace")[-3000:])
        return count


if __name__ == "__main__":
    import sys

    write_csv(Path(sys.argv[1]), re.findall(r"(\w+)=(\d+)", sys.argv[2]))
