"""A planned sweep as drivers see it: its shards, where their results are, and how one of them is run."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Set, Union

from ._command import AssayError, execute

# A result is 'results/B/N-DIGEST.json' with B the number of its group of 256 shards, as the command writes it.
_RESULT = re.compile(r"(\d+)-[0-9a-f]{64}\.json")
_SHARDS_OF_FOLDER = 256


@dataclass
class Outcome:
    """How an attempt at a shard ended."""

    index: int
    #: "done", "elsewhere" (another process has it) or "failed".
    state: str
    #: What the command said of a failure.
    message: str = ""
    #: The exit status of the command; a signal that ended it is below zero.
    code: int = 0


class Sweep:
    """The directory that ``assay sweep plan`` wrote. Raises ``AssayError`` (65) if there is no plan."""

    def __init__(self, directory: Union[str, Path]) -> None:
        self.directory = Path(directory).absolute()
        path = self.directory / "plan.json"
        try:
            plan = json.loads(path.read_text(encoding="utf-8"))
            self.shards: List[Dict[str, Any]] = plan["shards"]
            self.traces: List[Dict[str, Any]] = plan["traces"]
            self.digest: str = plan["digest"]
            self.working_directory = Path(plan["workingDirectory"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise AssayError(f"{path}: there is no plan here, or it is damaged: {error}", 65) from error

    def label(self, index: int) -> str:
        """A shard's number and trace."""
        return f"shard {index} ({self.traces[self.shards[index]['trace']]['name']})"

    def memory(self, index: int, cpus: int) -> int:
        """The bytes to ask for a shard: what the plan expects and a quarter more, as the scripts for schedulers do."""
        shard = self.shards[index]
        return int((shard["traceBytes"] + shard["replayBytes"] * cpus) * 1.25)

    def argument(self, index: int) -> str:
        """The trace of a shard, as the plan names it."""
        return str(self.traces[self.shards[index]["trace"]]["argument"])

    def done(self) -> Set[int]:
        """The shards that have their results here."""
        names = (path.name for path in self.directory.glob("results/*/*.json"))
        return {int(found[1]) for found in map(_RESULT.fullmatch, names) if found}

    def note(self, outcome: Outcome) -> None:
        """Keeps why a shard failed, for ``assay sweep status`` and ``merge``."""
        folder = self.directory / "failures"
        folder.mkdir(exist_ok=True)
        (folder / f"{outcome.index}.txt").write_text(outcome.message, encoding="utf-8")


def result_folder(directory: Path, index: int) -> Path:
    """Where the result of a shard is, or will be."""
    return directory / "results" / str(index // _SHARDS_OF_FOLDER)


def result(directory: Path, index: int) -> Optional[Path]:
    """The result of a shard, or None."""
    return next(result_folder(directory, index).glob(f"{index}-*.json"), None)


def run_shard(directory: Path, index: int, cpus: int, root: Optional[Path] = None) -> Outcome:
    """Runs one shard in this process's place: it ends with this process, so that a lost node leaves nothing running behind."""
    words = ["sweep", "run", str(directory), "--shard", str(index), "--jobs", str(cpus), "--quiet"]
    try:
        execute(words + ([] if root is None else ["--root", str(root)]), progress=False, ends_with_parent=True)
    except AssayError as error:
        return Outcome(index, "failed", error.message, error.code)
    return Outcome(index, "elsewhere" if result(directory, index) is None else "done")


class Place:
    """Where processes find a sweep: a directory that all of them see under the same path."""

    def __init__(self, sweep: Sweep) -> None:
        self.directory = sweep.directory

    def run(self, index: int, cpus: int) -> Outcome:
        """Runs a shard on this machine."""
        return run_shard(self.directory, index, cpus)

    def done(self, sweep: Sweep) -> Set[int]:
        """The shards that have their results."""
        return sweep.done()

    def collect(self, sweep: Sweep) -> None:
        """Brings what is missing of the results into the directory of the sweep."""


def run_in(place: Place, index: int, cpus: int) -> Outcome:
    """What a worker runs; a function of a module, so that it is sent by its name."""
    return place.run(index, cpus)


def planned(target: str, out: Optional[str], words: Sequence[str]) -> Sweep:
    """The sweep in a directory, or the one that a plan's file and the options of ``assay sweep plan`` make."""
    if Path(target).is_dir():
        if out is not None or words:
            raise AssayError(f"{target}: is planned already: --out and the options of a plan belong to a plan's file", 64)
        return Sweep(target)
    if out is None:
        raise AssayError("A plan's file needs --out, the directory of the sweep.", 64)
    suite = target
    try:
        text = Path(target).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise AssayError(f"{target}: cannot be read: {error}", 74) from error
    if "s3://" in text:
        from .s3 import localised

        suite = str(localised(text, target, Path(out)))
    execute(["sweep", "plan", suite, f"--out={out}", *words], progress=False)
    return Sweep(out)
