"""Finds the command, runs it, shows its progress, and turns its errors into exceptions."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Callable, List, Optional, Sequence, Tuple

# "my requests.csv:3: Column 2 is 'x'", or "requests.csv: the file is empty": without a line, a name with spaces could be a sentence.
_LOCATION = re.compile(r"^(?:(?P<place>[^:'\n]+):(?P<line>\d+)(?::\d+)?|(?P<file>[^\s:']+)): ")


class AssayError(Exception):
    """What the command refused or could not do.

    ``code`` is the exit status of the command (``assay --help`` lists them: 64 is a wrong option, 65 a malformed input); a command
    that a signal ended has the signal's number below zero. ``location`` is the file, or the file and line (``requests.csv:3``),
    that the message begins with, or None. ``line`` is its number from 1, or None.
    """

    def __init__(self, message: str, code: int, output: str = "") -> None:
        found = _LOCATION.match(message)
        self.message = message
        self.code = code
        self.location: Optional[str] = None
        self.line: Optional[int] = None
        #: Everything that the command wrote to standard error.
        self.output = output
        if found is not None:
            self.line = int(found["line"]) if found["line"] else None
            self.location = found["file"] if self.line is None else f"{found['place']}:{self.line}"
        super().__init__(message)

    def __reduce__(self) -> Any:
        return AssayError, (self.message, self.code, self.output)


def command_path() -> str:
    """The path of the command: what ``$ASSAY`` names, else the one in this package, else the one in ``PATH``.

    Raises ``AssayError`` with code 69 if there is none.
    """
    given = os.environ.get("ASSAY")
    if given:
        return given
    own = Path(__file__).parent / "_command" / "bin" / "assay"
    if own.is_file():
        return str(own)
    found = shutil.which("assay")
    # The script that pip writes for this package would call itself without end.
    if found is not None and not _is_script(found):
        return found
    raise AssayError("There is no assay command: install a wheel that carries it, or name one in $ASSAY.", 69)


def _is_script(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def execute(
    words: Sequence[str], accepted: Tuple[int, ...] = (0,), progress: bool = True, ends_with_parent: bool = False
) -> Tuple[int, str]:
    """Runs the command with these words; its exit status and its standard output.

    Raises ``AssayError`` for a status that is not accepted. An interrupt (Ctrl-C, or "interrupt the kernel") is passed on to the
    command, which keeps what is finished. With ``ends_with_parent`` it is killed when this process is, where the system can do that.
    """
    show = _progress_display() if progress else None
    environment = dict(os.environ)
    environment.setdefault("ASSAY_PROGRESS_SECONDS", "1")
    # A group of its own, so that Ctrl-C in a terminal reaches the command once.
    process = subprocess.Popen(
        [command_path(), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
        preexec_fn=_tie() if ends_with_parent else None,
    )
    errors: List[str] = []
    reader = threading.Thread(target=_read_errors, args=(process, errors, show), daemon=True)
    reader.start()
    try:
        assert process.stdout is not None
        output = process.stdout.read().decode("utf-8", "replace")
        status = process.wait()
    except BaseException:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        raise
    finally:
        reader.join(timeout=30)
        if show is not None:
            show(None)
    if status not in accepted:
        raise AssayError(_message(errors, status), status, "\n".join(errors))
    return status, output


def _tie() -> Optional[Callable[[], None]]:
    """What a child calls so that it is killed when its parent ends; None where there is no such call, as on macOS."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is None:
        return None
    parent = os.getpid()

    def tie() -> None:
        prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    return tie


def _read_errors(
    process: "subprocess.Popen[bytes]", errors: List[str], show: Optional[Callable[[Optional[str]], None]]
) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        text = line.decode("utf-8", "replace").rstrip("\n")
        errors.append(text)
        if show is not None and text.startswith("assay: "):
            show(text[len("assay: ") :])


def _message(errors: List[str], status: int) -> str:
    """The error among the lines of standard error: the last one that is marked as one, with what follows it."""
    for index in range(len(errors) - 1, -1, -1):
        for mark in ("assay: ", "Error: "):
            if errors[index].startswith(mark):
                return "\n".join([errors[index][len(mark) :], *errors[index + 1 :]]).strip()
    return "\n".join(errors).strip() or f"The command ended with status {status} and said nothing."


def _progress_display() -> Optional[Callable[[Optional[str]], None]]:
    """Shows a line over the one before, in a notebook or a terminal; None where neither is there."""
    if "ipykernel" in sys.modules:
        try:
            from IPython import display as shown
        except ImportError:
            return None
        # IPython is not typed.
        display: Any = shown.display
        handle = display({"text/plain": "assay: started"}, raw=True, display_id=True)
        if handle is None:
            return None

        def in_notebook(text: Optional[str]) -> None:
            handle.update({"text/plain": text or ""}, raw=True)

        return in_notebook
    if sys.stderr.isatty():

        def in_terminal(text: Optional[str]) -> None:
            sys.stderr.write("\r\x1b[K" + (text or "")[: shutil.get_terminal_size().columns - 1])
            sys.stderr.flush()

        return in_terminal
    return None
