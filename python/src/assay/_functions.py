"""One function for each subcommand: it makes the words, runs the command, and reads the JSON that it wrote."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type, TypeVar, Union

from ._command import AssayError, execute
from ._results import Advice, Bench, Curve, GateReport, Result, Results

PathLike = Union[str, "os.PathLike[str]"]
Words = Union[str, Sequence[str]]
R = TypeVar("R", bound=Result)


def run(
    traces: Union[PathLike, Sequence[PathLike]],
    policies: Words = "all",
    capacities: Optional[Union[Words, int, Sequence[Union[str, int]]]] = None,
    *,
    format: Optional[str] = None,
    out: Optional[PathLike] = None,
    progress: bool = True,
    **options: Any,
) -> Results:
    """Replays traces through policies, at each capacity.

    ``traces`` are files or names of workloads, ``policies`` names with parameters (``"s3fifo:small=0.05"``), and ``capacities`` objects
    (``4096``), bytes (``"64MiB"``) or shares of the trace (``"5%"`` of its objects, ``"5%B"`` of its bytes). The reports stay in ``out``
    if it is given. Raises ``AssayError`` if a cell failed or the command refused something.
    """
    words = _words("run", traces, policies, capacities, format, options)
    return _recorded(words, "results.json", "results.csv", "report.html", Results, out, progress)


def curve(
    traces: Union[PathLike, Sequence[PathLike]],
    policies: Words = "lru",
    capacities: Optional[Union[Words, int, Sequence[Union[str, int]]]] = None,
    *,
    format: Optional[str] = None,
    out: Optional[PathLike] = None,
    progress: bool = True,
    **options: Any,
) -> Curve:
    """Finds the hit ratio at many capacities: 40 of them unless ``points`` or ``capacities`` says otherwise."""
    words = _words("curve", traces, policies, capacities, format, options)
    return _recorded(words, "curve.json", "curve.csv", "curve.html", Curve, out, progress)


def bench(
    traces: Union[PathLike, Sequence[PathLike]],
    policies: Words = "lru",
    capacities: Optional[Union[Words, int, Sequence[Union[str, int]]]] = None,
    *,
    format: Optional[str] = None,
    out: Optional[PathLike] = None,
    progress: bool = True,
    **options: Any,
) -> Bench:
    """Puts real caches under load: throughput, latency and memory. ``backend``, ``subject``, ``threads`` and ``rate`` are options."""
    words = _words("bench", traces, policies, capacities, format, options)
    return _recorded(words, "bench.json", "bench.csv", "bench.html", Bench, out, progress)


def advise(
    traces: Union[PathLike, Sequence[PathLike]],
    policies: Optional[Words] = None,
    *,
    target_hit_ratio: Optional[float] = None,
    budget: Optional[Union[str, int]] = None,
    format: Optional[str] = None,
    out: Optional[PathLike] = None,
    progress: bool = True,
    **options: Any,
) -> Advice:
    """Says which policy and capacity reach a hit ratio (from 0 to 1), or do best within a budget (``"64MiB"``, or objects).

    A target that is out of reach is an answer and no error: ``is_reached`` is False then.
    """
    options = {"target_hit_ratio": target_hit_ratio, "budget": budget, **options}
    words = _words("advise", traces, policies, None, format, options)
    return _recorded(words, "advice.json", "advice.csv", "advice.html", Advice, out, progress, accepted=(0, 2))


def gate(
    baseline: Optional[PathLike] = None,
    candidate: Optional[Union[PathLike, Result]] = None,
    *,
    words: Sequence[str] = (),
    progress: bool = True,
    **options: Any,
) -> GateReport:
    """Compares results with a baseline, or does what ``rules="gate.yaml"`` says.

    ``against="main", words=["bench", "--trace", "zipf-1.0"]`` measures two versions of the command in turns and judges times.
    Either side is a file or folder of results; the candidate may be a result of this package. A verdict that is not a pass is no
    error: ``passed`` and ``status`` say it. Files that cannot be compared raise ``AssayError`` (5: no baseline, 65: malformed).
    """
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        if isinstance(candidate, Result):
            path = Path(folder) / "candidate.json"
            path.write_text(json.dumps(candidate.document), encoding="utf-8")
            candidate = path
        verdict = Path(folder) / "gate.json"
        sides = [os.fspath(side) for side in (baseline, candidate) if side is not None]
        # A name that begins with a dash would be an option.
        paths = ["./" + side if side.startswith("-") else side for side in sides]
        measured = ["--", *words] if words else []
        line = ["gate", *_options(options), f"--json={verdict}", *paths, *measured]
        status, text = execute(line, accepted=(0, 2, 6), progress=progress)
        return GateReport(_read_json(verdict), text, status)


def _words(
    command: str,
    traces: Union[PathLike, Sequence[PathLike]],
    policies: Optional[Words],
    capacities: Optional[Any],
    format: Optional[str],
    options: Dict[str, Any],
) -> List[str]:
    named: Dict[str, Any] = {"policy": policies, "capacity": capacities, "format": format}
    for name in named:
        if name in options:
            if named[name] is not None:
                raise TypeError(f"{command}() has '{name}' twice")
            named[name] = options.pop(name)
    paths = [traces] if isinstance(traces, (str, os.PathLike)) else list(traces)
    words = [command]
    for path in paths:
        words += ["--trace", os.fspath(path)]
    return words + _options(named) + _options(options)


def _options(options: Dict[str, Any]) -> List[str]:
    """``warm_up="10%"`` is ``--warm-up 10%``, True is the option alone, None and False are none, and a list is joined by commas."""
    words: List[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        option = "--" + name.strip("_").replace("_", "-")
        if value is True:
            words.append(option)
        else:
            values = value if isinstance(value, (list, tuple)) else [value]
            # One word, so that a value that begins with a dash is no option.
            words.append(f"{option}={','.join(str(each) for each in values)}")
    return words


def _recorded(
    words: List[str],
    name: str,
    table: str,
    page: str,
    kind: Type[R],
    out: Optional[PathLike],
    progress: bool,
    accepted: Tuple[int, ...] = (0,),
) -> R:
    with tempfile.TemporaryDirectory(prefix="assay-") as temporary:
        folder = Path(temporary) / "out" if out is None else Path(out)
        status, text = execute([*words, f"--out={folder}"], accepted=accepted, progress=progress)
        if out is None:
            # The paths of reports that are about to go say nothing.
            text = "".join(line for line in text.splitlines(True) if not line.startswith(str(folder)))
        return kind(
            _read_json(folder / name),
            (folder / table).read_text(encoding="utf-8"),
            (folder / page).read_text(encoding="utf-8"),
            text,
            status,
        )


def _read_json(path: Path) -> Dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AssayError(f"{path}: cannot be read: {error}", 74) from error
    if not isinstance(document, dict):
        raise AssayError(f"{path}: is no JSON object", 65)
    return document
