"""Sweeps whose traces or results are in an S3-compatible store, for workers that have no disk in common.

``python -m assay.s3 plan PLAN.yaml --out DIR`` plans with traces named ``s3://bucket/key``, ``push DIR s3://bucket/prefix`` mirrors a plan,
``run s3://bucket/prefix --shard 2/8`` runs shards of it anywhere, and ``pull s3://bucket/prefix DIR`` brings the results for
``assay sweep merge DIR``. The store is found as boto3 finds it: ``$AWS_ENDPOINT_URL``, ``$AWS_ACCESS_KEY_ID``, ``~/.aws/config``.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import fnmatch
import functools
import glob
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Set, Tuple, Union

from ._command import AssayError
from ._sweep import Outcome, Place, Sweep, planned, result, result_folder, run_shard

# Where traces of a store lie under the directory to which a plan's paths refer.
_TRACES = "s3-traces"
_SOURCES = "sources.json"
# Free space of its disk that a worker leaves, as a share; inputs that nobody reads go before that.
_FREE_SHARE = 0.05


class _Location:
    """A place in a store: ``s3://bucket/key``."""

    def __init__(self, url: str) -> None:
        found = re.fullmatch(r"s3://([^/]+)/*(.*?)/*", url)
        if found is None:
            raise AssayError(f"'{url}' is no place in a store. Write s3://bucket/prefix.", 64)
        self.bucket, self.key = found[1], found[2]

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.key}"

    def below(self, name: str) -> "_Location":
        return _Location(f"{self}/{name}" if self.key else f"s3://{self.bucket}/{name}")


@functools.lru_cache(maxsize=1)
def _client() -> Any:
    try:
        import boto3
        from botocore.config import Config
    except ImportError as error:
        raise AssayError(f"boto3 cannot be imported: {error}. Install it: pip install boto3", 69) from error
    return boto3.session.Session().client("s3", config=Config(retries={"mode": "standard", "max_attempts": 8}))


@contextlib.contextmanager
def _answers(location: Union[_Location, str]) -> Iterator[None]:
    """Turns what a store refuses into an error with its place."""
    try:
        yield
    except AssayError:
        raise
    except Exception as error:
        # boto3 makes its classes when it is asked, and is optional: they are known by their module.
        if not type(error).__module__.startswith(("botocore", "boto3", "s3transfer")):
            raise
        raise AssayError(f"{location}: the store refuses or is not reached: {error}", 74) from error


def _code(error: Exception) -> str:
    return str(getattr(error, "response", {}).get("Error", {}).get("Code", ""))


def _put_new(location: _Location, body: bytes, sha256: str) -> bool:
    """Writes an object unless there is one; whether it was written. The store checks the digest of what it got."""
    from botocore.exceptions import ClientError

    for _ in range(8):
        try:
            _client().put_object(
                Bucket=location.bucket, Key=location.key, Body=body, IfNoneMatch="*", ChecksumAlgorithm="SHA256",
                Metadata={"sha256": sha256},
            )  # fmt: skip
            return True
        except ClientError as error:
            if _code(error) == "PreconditionFailed":
                return False
            # Two writers at once: the store decides when they ask again.
            if _code(error) != "ConditionalRequestConflict":
                raise
    raise AssayError(f"{location}: the store cannot decide between writers. Try again.", 74)


def _read(location: _Location) -> Tuple[bytes, str]:
    """The bytes of an object, and the digest that its writer gave it, which they have."""
    answer = _client().get_object(Bucket=location.bucket, Key=location.key)
    body: bytes = answer["Body"].read()
    sha256 = str(answer["Metadata"].get("sha256", ""))
    if hashlib.sha256(body).hexdigest() != sha256:
        raise AssayError(f"{location}: is not what its digest stands for. Remove it, and run it again.", 65)
    return body, sha256


def _objects(location: _Location, prefix: str) -> Iterator[Dict[str, Any]]:
    pages = _client().get_paginator("list_objects_v2").paginate(Bucket=location.bucket, Prefix=prefix)
    for page in pages:
        yield from page.get("Contents", [])


def _inside(path: str) -> str:
    """A path that stays under the directory that it is relative to; raises ``AssayError`` (64) for others."""
    if os.path.isabs(path) or ".." in Path(path).parts:
        raise AssayError(
            f"{path}: this input is not under the directory where the sweep is planned, and has no place on a worker. "
            "Plan where it has a relative path, or put it into the store.", 64)  # fmt: skip
    return path


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            digest.update(piece)
    return digest.hexdigest()


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
        file.write(text)
    os.replace(file.name, path)


@contextlib.contextmanager
def _held(path: Path, operation: int) -> Iterator[bool]:
    """A lock beside a file, which ends with the process; whether it was had."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{path}.lock", "a") as lock:
        try:
            fcntl.flock(lock, operation)
        except BlockingIOError:
            yield False
        else:
            yield True


def _fetch(url: str, path: Path, wanted: Optional[str] = None) -> Dict[str, Any]:
    """Brings an object into a file, unless it is there already; its address, digest, length and tag. One process fetches, others wait.

    Raises ``AssayError`` with code 65 if its SHA-256 is not the one that is wanted.
    """
    location, note = _Location(url), Path(f"{path}.source")
    with _held(path, fcntl.LOCK_EX), _answers(location):
        try:
            known: Dict[str, Any] = json.loads(note.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            known = {}
        if not path.exists() or path.stat().st_size != known.get("bytes"):
            known = {}
        if wanted is not None and known.get("sha256") == wanted:
            return known
        head = _client().head_object(Bucket=location.bucket, Key=location.key)
        if known and known.get("tag") == head["ETag"] and wanted is None:
            return known
        temporary = Path(f"{path}.part")
        try:
            _client().download_file(location.bucket, location.key, str(temporary))
            source = {"url": url, "sha256": _sha256(temporary), "bytes": temporary.stat().st_size, "tag": head["ETag"]}
            if wanted is not None and source["sha256"] != wanted:
                raise AssayError(f"{url}: is not what it was when the plan was made. Restore it, or plan again.", 65)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        _replace(note, json.dumps(source))
        return source


def _matching(pattern: _Location) -> List[str]:
    """The keys that a pattern means, sorted; ``*`` and ``?`` do not stand for ``/``, as in a shell."""
    if not glob.has_magic(pattern.key):
        return [pattern.key]
    parts = pattern.key.split("/")
    prefix = re.split(r"[*?\[]", pattern.key)[0]
    found = []
    for entry in _objects(pattern, prefix):
        names = entry["Key"].split("/")
        if len(names) == len(parts) and all(
            fnmatch.fnmatchcase(name, part) and (part.startswith(".") or not name.startswith("."))
            for name, part in zip(names, parts)
        ):
            found.append(entry["Key"])
    if not found:
        raise AssayError(f"{pattern}: no object of the store matches", 64)
    return sorted(found)


def localised(text: str, name: str, out: Path) -> Path:
    """A plan's file that names files here instead of objects of a store, which are fetched; it is written into ``out``.

    Where the objects are from is kept beside it, for workers. Raises ``AssayError`` for a pattern that matches nothing.
    """
    try:
        import yaml
    except ImportError as error:
        raise AssayError(f"PyYAML cannot be imported: {error}. Install it: pip install PyYAML", 69) from error
    try:
        scalars = [node for node in _scalars(yaml.compose(text)) if node.value.startswith("s3://")]
    except yaml.YAMLError as error:
        raise AssayError(f"{name}: is no YAML: {error}", 65) from error
    sources: Dict[str, Dict[str, Any]] = {}
    for node in reversed(scalars):
        pattern = _Location(node.value)
        local = _inside(f"{_TRACES}/{pattern.bucket}/{pattern.key}")
        with _answers(pattern):
            keys = _matching(pattern)
        paths = {f"{_TRACES}/{pattern.bucket}/{key}": f"s3://{pattern.bucket}/{key}" for key in keys}
        with ThreadPoolExecutor(4) as pool:
            sources.update(zip(paths, pool.map(lambda path: _fetch(paths[path], Path(path)), paths)))
        if len(keys) > 1 or glob.has_magic(pattern.key):
            # What the store has no more would be planned too.
            for stale in set(glob.glob(local)) - set(paths):
                if not stale.endswith((".lock", ".source", ".part")):
                    os.remove(stale)
        text = text[: node.start_mark.index] + json.dumps(local) + text[node.end_mark.index :]
    suite = out / "suite.yaml"
    _replace(suite, text)
    _replace(out / _SOURCES, json.dumps(sources, indent=1, sort_keys=True) + "\n")
    return suite


def _scalars(node: Any) -> Iterator[Any]:
    for child in node.value if node is not None and isinstance(node.value, list) else []:
        for each in child if isinstance(child, tuple) else (child,):
            yield from _scalars(each)
    if node is not None and isinstance(node.value, str):
        yield node


class StorePlace(Place):
    """A sweep that is in a store. A worker keeps the plan and the inputs of its shards in ``cache``, and uploads each result once."""

    def __init__(self, url: str, cache: Optional[str] = None) -> None:
        self.url, self.cache = url, cache

    @classmethod
    def pushed(cls, sweep: Sweep, url: str, cache: Optional[str] = None) -> "StorePlace":
        """Mirrors a plan into a store, with the inputs that are files here; what is there already is left alone.

        Raises ``AssayError`` if another plan is there, if an input is outside the directory that the plan's paths refer to, or if the
        store does not refuse to write an object twice.
        """
        place, location = cls(url, cache), _Location(url)
        try:
            sources = json.loads((sweep.directory / _SOURCES).read_text(encoding="utf-8"))
        except FileNotFoundError:
            sources = {}
        with _answers(location):
            for argument in sorted({sweep.argument(index) for index in range(len(sweep.shards))} - set(sources)):
                path = sweep.working_directory / argument
                if path.is_file():
                    sources[argument] = place._upload(argument, path)
            body = json.dumps(sources, sort_keys=True).encode()
            plan = (sweep.directory / "plan.json").read_bytes()
            for name, bytes_ in [(_SOURCES, body), ("plan.json", plan)]:
                here = location.below(name)
                if not _put_new(here, bytes_, hashlib.sha256(bytes_).hexdigest()) and _read(here)[0] != bytes_:
                    raise AssayError(f"{here}: another plan is here. Choose another prefix.", 64)
            if _put_new(location.below("plan.json"), plan, hashlib.sha256(plan).hexdigest()):
                raise AssayError(
                    f"{location}: this store writes an object twice though it is asked not to (If-None-Match), so that a shard "
                    "might have two results. Take another one.", 69)  # fmt: skip
        return place

    def _upload(self, argument: str, path: Path) -> Dict[str, Any]:
        """Uploads an input under its digest, unless it is there."""
        _inside(argument)
        sha256, length = _sha256(path), path.stat().st_size
        location = _Location(self.url).below(f"inputs/{sha256}")
        if not any(entry["Key"] == location.key and entry["Size"] == length for entry in _objects(location, location.key)):
            _client().upload_file(str(path), location.bucket, location.key, ExtraArgs={"Metadata": {"sha256": sha256}})
        return {"url": str(location), "sha256": sha256, "bytes": length}

    def _result(self, index: int) -> _Location:
        return _Location(self.url).below(f"results/{result_folder(Path(), index).name}/{index}.json")

    def _failure(self, index: int) -> _Location:
        return _Location(self.url).below(f"failures/{index}.txt")

    def _numbers(self, kind: str) -> Set[int]:
        location = _Location(self.url).below(kind)
        with _answers(location):
            names = (entry["Key"].rsplit("/", 1)[-1].partition(".")[0] for entry in _objects(location, location.key + "/"))
            return {int(name) for name in names if name.isdecimal()}

    def done(self, sweep: Optional[Sweep] = None) -> Set[int]:
        return self._numbers("results") | (set() if sweep is None else sweep.done())

    def collect(self, sweep: Sweep) -> None:
        missing = self.done() - sweep.done()

        def bring(index: int) -> None:
            location = self._result(index)
            with _answers(location):
                body, sha256 = _read(location)
            _replace(result_folder(sweep.directory, index) / f"{index}-{sha256}.json", body.decode())
            (sweep.directory / "failures" / f"{index}.txt").unlink(missing_ok=True)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(bring, sorted(missing)))
        for index in sorted(self._numbers("failures") - sweep.done()):
            location = self._failure(index)
            with _answers(location):
                body = _client().get_object(Bucket=location.bucket, Key=location.key)["Body"].read()
            sweep.note(Outcome(index, "failed", body.decode("utf-8", "replace")))

    def opened(self) -> Tuple[Sweep, Dict[str, Dict[str, Any]], Path]:
        """The plan here, where its inputs are from, and the directory that stands for the one to which its paths refer."""
        base = Path(self.cache or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute()
        base = base if self.cache else base / "assay" / "sweeps"
        return _opened(self.url, str(base))

    def run(self, index: int, cpus: int) -> Outcome:
        sweep, sources, root = self.opened()
        source, path = sources.get(sweep.argument(index)), root / sweep.argument(index)
        try:
            with contextlib.ExitStack() as stack:
                if source is not None:
                    _inside(sweep.argument(index))
                    _make_room(root, source["bytes"])
                    stack.enter_context(_input(source, path))
                outcome = run_shard(sweep.directory, index, cpus, root)
        except AssayError as error:
            outcome = Outcome(index, "failed", error.message, error.code)
        with _answers(self.url):
            if outcome.state == "failed":
                location = self._failure(index)
                _client().put_object(Bucket=location.bucket, Key=location.key, Body=outcome.message.encode())
            elif outcome.state == "done":
                self._keep(sweep, index)
        return outcome

    def _keep(self, sweep: Sweep, index: int) -> None:
        path = result(sweep.directory, index)
        assert path is not None
        body = path.read_bytes()
        location = self._result(index)
        if not _put_new(location, body, hashlib.sha256(body).hexdigest()) and _read(location)[0] != body:
            print(f"assay: {sweep.label(index)}: another process was first, and its result stays", file=sys.stderr)
        _client().delete_object(Bucket=location.bucket, Key=self._failure(index).key)


@functools.lru_cache(maxsize=4)
def _opened(url: str, base: str) -> Tuple[Sweep, Dict[str, Dict[str, Any]], Path]:
    location = _Location(url)
    with _answers(location):
        plan, sha256 = _read(location.below("plan.json"))
        sources, _ = _read(location.below(_SOURCES))
    directory = Path(base) / sha256[:16]
    if not (directory / "plan.json").exists():
        for name in ("results", "work", "failures", "root"):
            (directory / name).mkdir(parents=True, exist_ok=True)
        _replace(directory / "plan.json", plan.decode())
    return Sweep(directory), json.loads(sources), directory / "root"


@contextlib.contextmanager
def _input(source: Dict[str, Any], path: Path) -> Iterator[None]:
    """An input that is here and stays here while it is read."""
    while True:
        _fetch(source["url"], path, source["sha256"])
        with _held(path, fcntl.LOCK_SH):
            # Between the two it may have made room for another one.
            if path.exists():
                yield
                return


def _make_room(root: Path, length: int) -> None:
    """Removes inputs that no process reads, those that were not read for longest first, until so much fits the disk."""
    disk = shutil.disk_usage(root)
    lacking = length + int(disk.total * _FREE_SHARE) - disk.free
    if lacking <= 0:
        return
    candidates = [path.with_suffix("") for path in root.rglob("*.source")]
    for path in sorted((path for path in candidates if path.exists()), key=lambda path: path.stat().st_atime):
        with _held(path, fcntl.LOCK_EX | fcntl.LOCK_NB) as is_free:
            if is_free and lacking > 0:
                lacking -= path.stat().st_size
                path.unlink()


def _chosen(texts: Sequence[str], count: int) -> List[int]:
    """The numbers that ``7``, ``0-9`` and ``2/8`` stand for, as ``assay sweep run --shard`` reads them; all without any."""
    numbers: Set[int] = set()
    for text in (part for each in texts for part in each.split(",")):
        found = re.fullmatch(r"(\d+)(?:([-/])(\d+))?", text)
        first, last = (int(found[1]), int(found[3] or found[1])) if found else (0, -1)
        if found and found[2] == "/" and first < last:
            numbers.update(range(first, count, last))
        elif found and found[2] != "/" and first <= last < count:
            numbers.update(range(first, last + 1))
        else:
            raise AssayError(f"'{text}' names no shards. Write a number (7), a range (0-9) or each so many (2/8); there are {count}.", 64)
    return sorted(numbers) if texts else list(range(count))


def _run(url: str, shards: Sequence[str], cache: Optional[str], cpus: int) -> int:
    place = StorePlace(url, cache)
    sweep, _, _ = place.opened()
    chosen = _chosen(shards, len(sweep.shards))
    done = place.done()
    ended = [place.run(index, cpus) for index in chosen if index not in done]
    for outcome in ended:
        if outcome.state == "failed":
            print(f"assay: {sweep.label(outcome.index)}: {outcome.message}", file=sys.stderr)
    states = [outcome.state for outcome in ended]
    counts = [(states.count("done"), "run"), (len(chosen) - len(ended), "done before")]
    counts += [(states.count("elsewhere"), "left to another process"), (states.count("failed"), "failed")]
    print("shards: " + ", ".join(f"{count} {word}" for count, word in counts if count))
    return next((outcome.code if outcome.code > 0 else 128 - outcome.code for outcome in ended if outcome.state == "failed"), 0)


def _arguments(words: Optional[Sequence[str]]) -> Tuple[argparse.Namespace, List[str]]:
    parser = argparse.ArgumentParser(prog="python -m assay.s3", description="Keep a sweep in an S3-compatible store.")
    commands = parser.add_subparsers(dest="command", required=True)
    plan = commands.add_parser("plan", help="'assay sweep plan' for traces that are in a store; they are fetched for it")
    plan.add_argument("plan")
    plan.add_argument("--out", required=True, metavar="DIR")
    push = commands.add_parser("push", help="mirror a plan, and inputs that are files here, into a store")
    push.add_argument("directory")
    push.add_argument("url")
    start = commands.add_parser("run", help="run shards of a sweep that is in a store, one after another")
    start.add_argument("url")
    start.add_argument("--shard", nargs="+", default=[], metavar="SHARDS", help="7, 0-9 or 2/8 (default: all)")
    start.add_argument("--cache", metavar="DIR", help="where inputs are kept (default: ~/.cache/assay/sweeps)")
    start.add_argument("--jobs", type=int, default=os.cpu_count(), help="simulations side by side (default: one a processor)")
    pull = commands.add_parser("pull", help="bring the results into a directory, for 'assay sweep merge'")
    pull.add_argument("url")
    pull.add_argument("directory")
    arguments, rest = parser.parse_known_args(words)
    if rest and arguments.command != "plan":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return arguments, rest


def main(words: Optional[Sequence[str]] = None) -> int:
    """Plans, pushes, runs or pulls; the exit status is that of the command, or of the first shard that failed."""
    arguments, rest = _arguments(words)
    try:
        if arguments.command == "plan":
            sweep = planned(arguments.plan, arguments.out, rest)
            print(f"planned {len(sweep.shards)} shards\nwrote {sweep.directory}/plan.json")
        elif arguments.command == "push":
            StorePlace.pushed(Sweep(arguments.directory), arguments.url)
            print(f"run it anywhere with: python -m assay.s3 run {arguments.url}")
        elif arguments.command == "run":
            return _run(arguments.url, arguments.shard, arguments.cache, arguments.jobs)
        else:
            place, directory = StorePlace(arguments.url), Path(arguments.directory)
            if not (directory / "plan.json").exists():
                location = _Location(arguments.url).below("plan.json")
                with _answers(location):
                    _replace(directory / "plan.json", _read(location)[0].decode())
            place.collect(Sweep(directory))
            print(f"merge it with: assay sweep merge {directory}")
    except AssayError as error:
        print(error.output or f"assay: {error}", file=sys.stderr)
        return error.code if error.code > 0 else 128 - error.code
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
