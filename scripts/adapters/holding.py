"""Holds caches against the conformance suite, puts them under the same traces, and writes the pages of Reports/conformance.

`debian`, `pypi` and `swift` beside this file say which caches there are and how each is started; the rest is here.
"""
import argparse
import csv
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Entries whose memory is measured, and their bytes: a key of 16 and a value of 100. What the first ones take is the program's own.
FIRST, ENTRIES, ENTRY = 2_000, 20_000, 116
# The first trace and the middle capacity are those of the times. A request over the protocol takes a tenth of a millisecond, so that traces are cut short.
TRACES, CAPACITIES, REQUESTS = ["zipf-1.0", "sqlite-pages"], ["1%", "5%"], 8_000
TITLES = {"go": "Go", "rust": "Rust", "java": "Java", "javascript": "JavaScript", "python": "Python", "swift": "Swift"}
SCRIPTS = {"python": "pypi", "swift": "swift"}
FAILED = ("fail", "crashed", "hung")
KINDS = {"bug": "bug", "documented": "documented", "claim": "wrong claim", "suite": "the suite"}


@dataclass
class Held:
    """A cache with the command that starts its adapter."""
    name: str
    language: str
    version: str
    command: str
    more: list = field(default_factory=list)  # more words for `assay conform`


def tell(words):
    print(words, flush=True)


def missing(program, package):
    """Whether a program is not there, which is told."""
    if shutil.which(program) or pathlib.Path(program).exists():
        return False
    tell(f"left out: {program} is not here; on Debian, apt-get install {package}")
    return True


def judged():
    """Cache and check, with what the failure is and a line about it."""
    found = {}
    with open(HERE / "judged.tsv", encoding="utf-8") as file:
        for name, checks, kind, words in csv.reader((line for line in file if not line.startswith("#")), delimiter="\t"):
            assert kind in KINDS, f"judged.tsv: {name}: '{kind}' is none of {', '.join(KINDS)}"
            for check in checks.split():
                found[name, check] = (kind, words)
    return found


class Holding:
    """One run over some caches."""

    def __init__(self, words, usage):
        parser = argparse.ArgumentParser(description=usage)
        parser.add_argument("--out", type=pathlib.Path, default=ROOT / "Reports/conformance", help="where results go")
        parser.add_argument("--only", choices=["conform", "bench", "page"], help="one step, over what the others have left there")
        parser.add_argument("--keep", type=pathlib.Path, default=ROOT / ".build/adapters", help="where adapters and measurements are kept")
        parser.add_argument("--deadline", default="60", help="seconds for a check")
        for name, help in words:
            parser.add_argument(name, help=help)
        parser.add_argument("names", nargs="*", metavar="NAME", help="these caches alone")
        self.options = parser.parse_intermixed_args()
        self.out, self.keep = self.options.out.resolve(), self.options.keep.resolve()
        self.assay = os.environ.get("ASSAY", str(ROOT / ".build/release/assay"))
        for folder in (self.out, self.keep):
            folder.mkdir(parents=True, exist_ok=True)
        if not pathlib.Path(self.assay).exists():
            sys.exit(f"{self.assay} is not there; build it, or name one in ASSAY")

    def wants(self, name):
        return not self.options.names or name in self.options.names

    def run(self, held):
        """Holds and measures each cache, and writes a page for each language."""
        for one in held:
            if self.options.only in (None, "conform"):
                self.conform(one)
            if self.options.only in (None, "bench"):
                self.bench(one)
        for language in dict.fromkeys(one.language for one in held):
            self.page(language, [one for one in held if one.language == language])

    def conform(self, one):
        report = self.out / f"{one.name}.json"
        done = subprocess.run(
            [self.assay, "conform", f"exec:{one.command}", *one.more, "--deadline", self.options.deadline, "--json", report],
            capture_output=True, text=True)
        # Failures are what the reports are about; only a broken run stops.
        if done.returncode not in (0, 2, 3):
            sys.exit(f"{one.name}: {done.stderr}")
        tell(f"{one.name}: {done.stdout.strip().splitlines()[-1]}")
        # The report names the cache, not where a machine keeps its adapter, nor what it calls a directory.
        text = report.read_text().replace(json.dumps(f"exec:{one.command}")[1:-1], f"{one.name} {one.version}")
        for place in (self.keep, ROOT):
            text = text.replace(f"{place}/", "")
        report.write_text(re.sub(rf"{re.escape(tempfile.gettempdir())}/[\w.-]+", "DIRECTORY", text))
        subprocess.run([self.assay, "report", report, "--format", "markdown", "--out", self.out], check=True, stdout=subprocess.DEVNULL)

    def bench(self, one):
        """Hit ratios of each trace at each capacity, and times with one client and with two."""
        place = self.keep / "measured" / one.name
        shutil.rmtree(place, ignore_errors=True)
        for folder, words in (
            ("hits", ["--trace", *TRACES, "--capacity", ",".join(CAPACITIES), "--repetitions", "1"]),
            ("1", ["--trace", TRACES[0], "--capacity", CAPACITIES[1], "--repetitions", "2"]),
            ("2", ["--trace", TRACES[0], "--capacity", CAPACITIES[1], "--repetitions", "2", "--threads", "2"])):
            done = subprocess.run(
                [self.assay, "bench", "--subject", f"exec:{one.command}", *words, "--requests", str(REQUESTS), "--out", place / folder, "--force", "--quiet"],
                capture_output=True, text=True)
            if done.returncode:
                tell(f"{one.name}: {folder}: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
        place.mkdir(parents=True, exist_ok=True)
        (place / "memory.json").write_text(json.dumps(self.memory(one)))
        tell(f"{one.name}: measured")

    def memory(self, one):
        """How many bytes an entry takes of the process's resident memory; None where that cannot be told."""
        process = subprocess.Popen(["/bin/sh", "-c", one.command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

        def ask(**members):
            body = json.dumps(members).encode()
            process.stdin.write(struct.pack(">I", len(body)) + body)
            process.stdin.flush()
            head = process.stdout.read(4)
            return json.loads(process.stdout.read(struct.unpack(">I", head)[0])) if len(head) == 4 else {"error": {}}

        def resident():
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            return sum(int(pathlib.Path(f"/proc/{id}/statm").read_text().split()[1]) for id in [process.pid, *children]) * os.sysconf("SC_PAGE_SIZE")

        try:
            hello = ask(id=0, hello={"protocol": "assay-subject", "versions": [1]})["hello"]
            claims = hello.get("claims", {})
            setup = {"nowNanoseconds": 0}
            if (claims.get("room") or {}).get("isAdjustable") and "objects" in claims["room"].get("units", []):
                setup["capacity"] = {"amount": 2 * ENTRIES, "unit": "objects"}
            if hello.get("needsDirectory") or "error" in ask(id=1, instance=1, open=setup):
                return None
            for number in range(ENTRIES):
                put = {"operation": "put", "key": f"key-{number:012}".encode().hex(), "value": f"{number:0100}".encode().hex()}
                if "error" in ask(id=number + 2, instance=1, step=put):
                    return None
                if number == FIRST - 1:
                    before = resident()
            return max(0, resident() - before) / (ENTRIES - FIRST)
        except (OSError, KeyError):
            return None
        finally:
            process.stdin.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()

    def bytes_each(self, one):
        path = self.keep / "measured" / one.name / "memory.json"
        return json.loads(path.read_text()) if path.exists() else None

    def measured(self, one, folder):
        """The lines of a measurement that have figures; none where there is none."""
        path = self.keep / "measured" / one.name / folder / "bench.csv"
        if not path.exists():
            return []
        with path.open(newline="") as file:
            return [line for line in csv.DictReader(file) if line["requests_per_second"] and not line["failure"]]

    def warnings(self, one):
        """How many processors other programs kept busy, as the measurement warns."""
        for folder in ("1", "2"):
            path = self.keep / "measured" / one.name / folder / "bench.json"
            if path.exists():
                yield from (float(words.split()[3]) for words in json.loads(path.read_text()).get("warnings", []) if words.startswith("Other programs kept"))

    def page(self, language, held):
        """Which cache should I take? What was found and measured, and nothing else."""
        known = judged()
        lines = [
            f"# Which cache should I take? {TITLES[language]}", "",
            f"Written by `scripts/adapters/{SCRIPTS.get(language, 'debian')}`; not to be edited. [What each failure is](README.md) in the words of its own language.", "",
            "## Verdicts", "",
            "A check is due if the cache claims what it is about; what a cache documents to do otherwise is a deviation, and fails nothing. "
            "A blocked check is one that another one's failure explains.", "",
            "| cache | version | due | passed | failed | blocked by these | deviations |", "| :-- | :-- | --: | --: | --: | --: | :-- |"]
        failures = []
        for one in held:
            report = self.out / f"{one.name}.json"
            if not report.exists():
                continue
            found = json.loads(report.read_text())
            count = lambda *outcomes: sum(line["outcome"] in outcomes for line in found["results"])
            failed = [line for line in found["results"] if line["outcome"] in FAILED]
            blocked = sum("blockedBy" in line for line in found["results"])
            stated = ", ".join(line["name"] for line in found.get("deviations") or []) or "–"
            lines.append(f"| [{one.name}]({one.name}.md) | {one.version} | {count('pass', 'blocked') + len(failed)} | {count('pass')} | {len(failed)} | {blocked} | {stated} |")
            failures += [(one.name, line) for line in failed]
        lines += ["", "## Failures", ""]
        if failures:
            lines += ["| cache | check | what breaks | it is | because |", "| :-- | :-- | :-- | :-- | :-- |"]
            for name, line in failures:
                kind, words = known.get((name, line["id"]), (None, ""))
                lines.append(f"| {name} | {line['id']} | {line['assertion']} | {KINDS.get(kind, '**not judged yet**')} | {words} |")
        else:
            lines += ["None."]
        lines += self.figures(held)
        (self.out / f"{language}.md").write_text("\n".join(lines) + "\n")
        tell(str(self.out / f"{language}.md"))

    def figures(self, held):
        lines = ["", "## Hit ratio by memory used", "",
                 f"The first {REQUESTS:,} requests of each trace, from empty; capacities are shares of the trace's objects. The memory is what so many entries of "
                 f"{ENTRY} bytes take of the adapter's process, garbage of its language and unused pages included: {FIRST:,} to {ENTRIES:,} entries, resident pages.", ""]
        columns = [(trace, capacity) for trace in TRACES for capacity in CAPACITIES]
        rows, without = [], []
        for one in held:
            cells, each = {}, self.bytes_each(one)
            for line in self.measured(one, "hits"):
                amount = int(line["capacity"] or 0)
                memory = f" in {max(1, each * amount / 1024):,.0f} KiB" if each else ""
                cells.setdefault(line["trace"], {})[amount] = f"{100 * float(line['hit_ratio']):.1f} %{memory}"
            found = [list(cells.get(trace, {}).values()) for trace in TRACES]
            if all(len(row) == len(CAPACITIES) for row in found):
                rows.append(f"| {one.name} | " + " | ".join(cell for row in found for cell in row) + " |")
            else:
                without.append(one.name)
        if rows:
            lines += ["| cache | " + " | ".join(f"{trace}, {capacity}" for trace, capacity in columns) + " |", "| :-- |" + " --: |" * len(columns), *rows]
        if without:
            lines += ["", f"Without one, as no room in entries is claimed or nothing was measured: {', '.join(without)}."]
        busy = sorted({words for one in held for words in self.warnings(one)})
        crowded = f"**Other programs kept up to {max(busy)} of the processors busy: a time is as much theirs, and has to be taken again on a quiet machine.** " if busy else ""
        lines += [
            "", "## Times", "",
            f"{TRACES[0]} at {CAPACITIES[1]}, with one client and with two, in requests a second and microseconds of a hit. The caches are in processes of their own: "
            "**most of a time is the subject protocol**, so that the figures compare caches of one language at best. "
            f"{crowded}", "",
            "| cache | 1 client, a second | p50 | p99 | 2 clients, a second | p50 | p99 | bytes an entry |", "| :-- |" + " --: |" * 7]
        for one in held:
            cells = []
            for clients in ("1", "2"):
                hits = [line for line in self.measured(one, clients) if line["operation"] == "hit"]
                times = [f"{float(hits[0][name]) / 1000:.0f}" if hits and hits[0][name] else "–" for name in ("p50_nanoseconds", "p99_nanoseconds")]
                cells += [f"{float(hits[0]['requests_per_second']):,.0f}" if hits else "–", *times]
            each = self.bytes_each(one)
            lines.append(f"| {one.name} | " + " | ".join([*cells, f"{each:,.0f}" if each else "–"]) + " |")
        return [*lines, "", "– was not measured: two clients need a cache that claims several threads, and bytes an entry one that needs no directory."]
