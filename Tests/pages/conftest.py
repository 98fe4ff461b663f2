"""Pages that an assay makes, opened in a real Chromium."""

import json
import os
import random
import re
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
KINDS = ["run", "one", "hostile", "live", "curve", "advise", "bench", "conform", "trace", "check-history", "history", "systems",
         "fixed", "largest"]
FORMAT = ["--format", "csv:key=2,size=3,time=1"]
HISTORY = """{:process 0, :type :invoke, :f :write, :key "k", :value "1"}
{:process 0, :type :ok, :f :write, :key "k", :value "1"}
{:process 1, :type :invoke, :f :read, :key "k"}
{:process 1, :type :ok, :f :read, :key "k", :value "%s"}
"""


def write_trace(path, keys):
    """A trace as CSV: a time, a key and a size that follows from the key."""
    path.write_text("".join(f"{time},{key},{64 + zlib.crc32(str(key).encode()) % 4000}\n" for time, key in enumerate(keys)))


class Pages:
    """Where the pages are. Each kind is one command, or two, run when a test first asks for it."""

    def __init__(self, folder):
        self.folder = folder
        self.made = {}
        chance = random.Random(7)
        skewed = [int(600 * chance.random() ** 4) for _ in range(2000)]
        traces = {"zipf": skewed, "loop": [i % 300 for i in range(1500)],
                  "scan": [key if i % 300 < 240 else 10_000 + i for i, key in enumerate(skewed)],
                  "<script>alert(1)<b>": skewed[:600], "=1+1": skewed[:600]}
        for name, keys in traces.items():
            write_trace(folder / f"{name}.csv", keys)
        (folder / "good.edn").write_text(HISTORY % "1")
        (folder / "bad.edn").write_text(HISTORY % "2")

    def assay(self, *arguments, fine=(0,)):
        result = subprocess.run([os.environ["ASSAY"], *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300)
        assert result.returncode in fine, f"assay {' '.join(arguments)}: {result.returncode}\n{result.stdout}\n{result.stderr}"

    def run(self, out, traces, policies, capacities, *more):
        self.assay("run", "--trace", traces, *FORMAT, "--policy", policies, "--capacity", capacities, "--out", out, *more)

    def make(self, kind):
        match kind:
            case "run": self.run("run", "zipf.csv,scan.csv", "lru,fifo,s3fifo,arc,lirs,belady", "1%,5%,10%,5%B")
            case "one": self.run("one", "zipf.csv", "lru", "1%,5%,10%")
            case "hostile": self.run("hostile", "<script>alert(1)<b>.csv,=1+1.csv", "lru,s3fifo", "1%,5%")
            case "live": self.run("live", "zipf.csv", "lru,s3fifo", "5%,10%", "--backend", "dictionary", "--simulate")
            case "curve": self.assay("curve", "--trace", "zipf.csv,loop.csv", *FORMAT, "--policy", "lru,fifo,s3fifo",
                                     "--points", "12", "--out", kind)
            case "advise": self.assay("advise", "--trace", "zipf.csv", *FORMAT, "--policy", "lru,fifo,s3fifo",
                                      "--target-hit-ratio", "0.4", "--out", kind)
            case "bench": self.assay("bench", "--trace", "zipf.csv", *FORMAT, "--policy", "lru,s3fifo", "--threads", "2",
                                     "--requests", "2000", "--out", kind)
            case "conform": self.assay("conform", "dictionary", "--section", "BAS", "--html", "conform.html")
            case "trace": self.assay("trace", "info", "zipf.csv", *FORMAT, "--html", "trace.html")
            case "check-history": self.assay("check-history", "good.edn", "bad.edn", "--html", "check-history.html", fine=(2,))
            case "history": self.optional(kind, lambda: self.assay("history", "--help"), self.make_history)
            case "systems":
                self.optional(kind, lambda: self.assay("run", "--system", "call-cache", "--scale", "0.02", "--out", kind))
            case "fixed":
                (self.folder / kind).mkdir()
                shutil.copy(HERE / "run.json", self.folder / kind / "results.json")
                self.assay("report", f"{kind}/results.json")
            case "largest":
                self.write_largest(self.folder / kind)
                self.assay("report", f"{kind}/results.json")

    @staticmethod
    def write_largest(folder):
        """60 policies on 5 traces at 12 capacities, of which no run is awaited: the figures are made up."""
        results = json.loads((HERE / "run.json").read_text())
        trace, policy, cell = results["traces"][0], results["policies"][0], results["cells"][0]
        names = ["lru", "lru-k", *(f"policy-{i}" for i in range(1, 56)), "w-tinylfu", "tinylfu", "fifo"]
        results["traces"] = [trace | {"name": f"trace-{i}"} for i in range(1, 6)]
        results["policies"] = [policy | {"name": name} for name in names]
        results["cells"] = [
            cell | {"trace": trace["name"], "policy": name, "capacity": 2 << size, "capacityRequested": str(2 << size),
                    "counts": cell["counts"] | {"hits": 40 * size + 10 * rank + 37 * rank * (size + 3) % 83 + 11 * index}}
            for index, trace in enumerate(results["traces"]) for rank, name in enumerate(names) for size in range(12)]
        results["cellsPlanned"] = len(results["cells"])
        folder.mkdir()
        (folder / "results.json").write_text(json.dumps(results))

    def optional(self, kind, *steps):
        """A part of the command that a build may leave out."""
        try:
            for step in steps:
                step()
        except AssertionError as error:
            if "not built in" not in str(error) and "no subcommand" not in str(error):
                raise
            pytest.skip(f"this assay is built without '{kind}'")

    def make_history(self):
        self.run("past", "zipf.csv", "lru,fifo", "5%")
        for day in range(1, 4):
            self.assay("history", "add", "past/results.json", "--commit", f"{day:040x}", "--time", f"2026-01-0{day}T00:00:00Z")
        self.assay("history", "report", "--html", "history.html")

    def file(self, kind):
        if kind not in self.made:
            self.make(kind)
            found = self.folder / f"{kind}.html"
            self.made[kind] = found if found.exists() else next((self.folder / kind).glob("*.html"))
        return self.made[kind]


class Tab:
    """A page in a window of its own, and what went wrong in it."""

    def __init__(self, browser, file, view="", **options):
        options = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light", "accept_downloads": True} | options
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(10_000)
        self.faults, self.requests = [], []
        self.page.on("console", lambda message: self.faults.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("requestfailed", lambda request: self.faults.append(f"failed: {request.url}"))
        self.page.on("dialog", lambda dialog: (self.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url.split("#")[0]))
        self.page.goto(file.as_uri() + view)

    def texts(self, selector):
        return self.page.locator(selector).all_inner_texts()

    def download(self, act):
        with self.page.expect_download() as info:
            act()
        return info.value.suggested_filename, Path(info.value.path()).read_bytes()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    return Pages(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        # The sandbox of Chromium refuses to work for root, and these pages are this project's own.
        options = ["--no-sandbox", "--disable-dev-shm-usage"]
        yield playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=options)


@pytest.fixture
def open_tab(pages, browser):
    """Opens a kind of page, and holds at the end that nothing went wrong in it."""
    tabs = []

    def open_one(kind, view="", file=None, **options):
        tabs.append(Tab(browser, file or pages.file(kind), view, **options))
        return tabs[-1]

    yield open_one
    for tab in tabs:
        tab.context.close()
        assert tab.faults == []


@pytest.fixture(scope="module", params=KINDS)
def tab(request, pages, browser):
    """Each kind of page, opened once for all tests that look at it."""
    opened = Tab(browser, pages.file(request.param))
    # What is far from the window is not drawn otherwise, and these tests look at everything.
    opened.page.add_style_tag(content=".trace { content-visibility: visible !important }")
    opened.kind = request.param
    yield opened
    opened.context.close()


@pytest.fixture(scope="session")
def fragment(pages):
    """A page whose only heat map and costs are those of fragment.html."""
    text = pages.file("fixed").read_text()
    text = re.sub(r'<table class="sortable heat".*?</table>|<section class="cost".*?</section>', "", text, flags=re.S)
    file = pages.folder / "fragment.html"
    file.write_text(text.replace('<main id="main">', '<main id="main">' + (HERE / "fragment.html").read_text(), 1))
    return file
