"""What README and the guides tell people to type is there and does what they show. See scripts/test-docs."""

import functools
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ASSAY = os.environ["ASSAY"]
README = ROOT / "README.md"
GUIDES = sorted((ROOT / "docs").glob("*.md")) + [ROOT / "python" / "README.md", ROOT / "CONTRIBUTING.md"]
# Of a trait that not every command has; scripts/run --all builds them.
OPTIONAL = {"history", "http-cache", "pack", "watch"}


def blocks(text, language):
    """The code blocks of a language, each with the block of `text` that follows at once, or None."""
    pattern = r"^```" + language + r"\n(.*?)^```\n(?:```text\n(.*?)^```\n)?"
    return re.findall(pattern, text, re.MULTILINE | re.DOTALL)


def words_of(line):
    """The words of a shell line without its comment and what follows a pipe."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    words = []
    for word in lexer:
        if word and set(word) <= set("|&;<>"):
            break
        words.append(word)
    return words


@functools.lru_cache(maxsize=None)
def help_of(words):
    """The help of a subcommand, or None if there is none of that name."""
    said = subprocess.run([ASSAY, "help", *words], capture_output=True, text=True)
    # Of a name that there is not, the help of the whole command is printed.
    return said.stdout if "USAGE: assay " + " ".join(words) in said.stdout else None


def commands(text):
    """The lines of shell blocks that call the command, in any of the ways that the guides write it."""
    for block, _ in blocks(text, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            match = re.match(r"(?:\$assay|assay|scripts/run(?: --with \S+| --all)?|\.build/release/assay) (\S.*)", line)
            if match:
                yield line, match.group(1)


class DocumentTests(unittest.TestCase):
    maxDiff = None

    def test_commands_of_the_readme_print_what_stands_below_them(self):
        """README promises real output: a change of what the command prints, or of a figure, must change it there."""
        text = README.read_text()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for link in ("Examples", "Sources", "Workloads"):
                (folder / link).symlink_to(ROOT / link)
            (folder / "bin").mkdir()
            (folder / "bin" / "assay").symlink_to(ASSAY)
            environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
            shown = blocks(text, "sh")
            self.assertEqual(len(shown), 5, "the five paths")
            for block, output in shown:
                self.assertTrue(output, f"no output stands below:\n{block}")
                self.assertLessEqual(len(block.splitlines()), 5)
                said = ""
                for line in block.splitlines():
                    ran = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True)
                    status = re.search(r"# status (\d)", line)
                    self.assertEqual(ran.returncode, int(status[1]) if status else 0, f"{line}\n{ran.stderr}")
                    said += ran.stdout
                # A table loses the column of times, and a long line its end: each line shown begins one that was printed.
                printed = [" ".join(line.split()) for line in said.splitlines()]
                for line in output.splitlines():
                    expected = " ".join(line.split())
                    self.assertTrue(
                        any(each.startswith(expected) for each in printed), f"not printed: {line}\nbut:\n{said}"
                    )

    def test_commands_of_the_guides_name_options_that_there_are(self):
        """An option that was renamed stays in a guide until somebody types it."""
        wrong, checked = [], 0
        for path in GUIDES:
            for line, command in commands(path.read_text()):
                words = words_of(command)
                if words and words[0] == "watch":
                    words = words[1:]
                if not words or words[0].startswith("-") or words[0] in OPTIONAL and help_of((words[0],)) is None:
                    continue
                name = tuple(words[:2]) if words[0] in ("trace", "pack", "history", "sweep") else (words[0],)
                text = help_of(name)
                if text is None:
                    wrong.append(f"{path.name}: no subcommand: {line}")
                    continue
                checked += 1
                end = words.index("--") if "--" in words else len(words)
                for word in words[:end]:
                    option = re.match(r"--[a-z][a-z-]*", word)
                    if option and not re.search(re.escape(option[0]) + r"(?![a-z-])", text):
                        wrong.append(f"{path.name}: no option {option[0]}: {line}")
        self.assertEqual(wrong, [])
        self.assertGreater(checked, 60, "the commands of the guides are found")

    def test_links_lead_to_files(self):
        dead = []
        for path in [README, *GUIDES, ROOT / "CHANGELOG.md", ROOT / "Examples" / "README.md"]:
            for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
                file = target.partition("#")[0]
                if file and "://" not in file and not (path.parent / file).exists():
                    dead.append(f"{path.relative_to(ROOT)}: {target}")
        self.assertEqual(dead, [])

    def test_decisions_begin_with_their_number(self):
        """The heading of record 0009 once had the number 7."""
        wrong = [
            path.name
            for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))
            if not path.read_text().startswith(f"# {path.name[:4]}: ")
        ]
        self.assertEqual(wrong, [])

    def test_the_readme_is_short(self):
        self.assertLessEqual(len(README.read_text().splitlines()), 160)


if __name__ == "__main__":
    unittest.main()
