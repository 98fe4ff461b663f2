"""What a reader does with a page: sorts, filters, hides, saves, sends a link, uses the keyboard alone."""

import base64
import contextlib
import csv
import gzip
import io
import json
import math
import re
import time
import xml.dom.minidom

import pytest
from PIL import Image
from playwright.sync_api import Error

RATIO = 'svg.lines[data-unit="%"]'
STATE = """() => ({
    theme: document.documentElement.dataset.theme,
    hidden: [...document.querySelectorAll("g[data-series][hidden]")].map((g) => g.dataset.series),
    open: [...document.querySelectorAll("details:not(.menu)")].map((fold) => fold.open),
    rows: [...document.querySelectorAll("tbody tr:not([hidden])")].map((row) => row.textContent),
    paths: [...document.querySelectorAll(".line")].map((line) => line.getAttribute("d")),
    titles: [...document.querySelectorAll("h3")].map((h) => h.textContent),
    chips: [...document.querySelectorAll(".chip:not([hidden])")].map((chip) => chip.textContent),
})"""


def embedded(text):
    packed = re.search(r'id="files">([^<]*)<', text).group(1)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def column(tab, table, index):
    return tab.texts(f"{table} tbody tr:not([hidden]) > :nth-child({index})")


def press_all(tab, keys):
    for key in keys:
        tab.page.keyboard.press(key)


def test_click_sorts_a_table_and_another_turns_it_round(open_tab):
    tab = open_tab("fixed")
    table = "#policies table"
    head = tab.page.locator(f"{table} th button").first
    head.click()
    names = column(tab, table, 1)
    assert names == sorted(names) and len(names) > 2
    assert tab.page.locator(f"{table} [aria-sort=ascending]").inner_text().startswith("Policy")
    head.click()
    assert column(tab, table, 1) == names[::-1]


def test_keyboard_sorts_by_the_exact_value_and_missing_figures_stay_last(open_tab, fragment):
    tab = open_tab("fixed", "#heatby0=ratio", file=fragment)
    upwards = ["10.20 %", "20.00 %", "20.00 %"]
    for key, expected in [("Enter", [*upwards[::-1], "–"]), ("Space", [*upwards, "–"])]:
        tab.page.locator(".heat th button").nth(2).focus()
        tab.page.keyboard.press(key)
        assert column(tab, ".heat", 3) == expected


def test_filter_leaves_the_rows_that_have_every_word(open_tab):
    tab = open_tab("largest")
    tab.page.locator("#policies .controls input").fill("lru k")
    rows = tab.page.locator("#policies tbody tr:visible")
    assert "lru-k" in [row.split("\t")[0] for row in rows.all_inner_texts()]
    total = tab.page.locator("#policies tbody tr").count()
    assert rows.count() < total
    assert tab.texts("#policies [role=status]") == [f"{rows.count()} of {total} rows"]
    tab.page.locator("#policies .controls input").fill("")
    assert rows.count() == total and tab.texts("#policies [role=status]") == [""]


def shown(tab):
    return set(tab.page.evaluate("""[...document.querySelectorAll("svg.lines[data-at] g[data-series]:not([hidden])")]
        .map((g) => g.dataset.label)"""))


def test_legend_hides_shows_only_one_and_all(open_tab):
    tab = open_tab("fixed")
    everything = shown(tab)
    chip = tab.page.locator(".chip", has_text="s3fifo")
    chip.click()
    assert shown(tab) == everything - {"s3fifo"} and chip.get_attribute("aria-pressed") == "false"
    tab.page.get_by_role("button", name="Show all").click()
    assert shown(tab) == everything
    chip.dblclick()
    assert shown(tab) == {"s3fifo"}
    tab.page.get_by_role("button", name="Show all").click()
    tab.page.locator(".chip", has_text="arc").focus()
    tab.page.keyboard.press("Shift+Enter")
    assert shown(tab) == {"arc"}


def test_legend_is_filtered_by_text_and_ordered_by_result_or_name(open_tab):
    tab = open_tab("largest")
    chips = ".chip[data-series]:visible"
    by_result = tab.texts(chips)
    values = tab.page.evaluate("""Object.fromEntries(Map.groupBy([...document.querySelectorAll("figure")]
        .filter((card) => card.querySelector("h3")?.textContent.startsWith("Hit ratio against"))
        .flatMap((card) => [...card.querySelectorAll("g[data-values]")]
            .flatMap((g) => g.dataset.values.split("|").filter(Boolean).map((value) => [g.dataset.label, +value]))),
        ([label]) => label).entries().map(([label, pairs]) => [label, pairs.reduce((s, p) => s + p[1], 0) / pairs.length]))""")
    means = [values[name] for name in by_result]
    assert all(a >= b - 1e-9 for a, b in zip(means, means[1:]))
    tab.page.get_by_role("button", name="By name").click()
    numbered = [[int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)] for name in by_result]
    assert tab.texts(chips) == ["".join(map(str, parts)) for parts in sorted(numbered)]
    tab.page.get_by_label("Filter curves").fill("TinyLFU")
    assert tab.texts(chips) and all("tinylfu" in name for name in tab.texts(chips))
    assert shown(tab) == set(tab.texts(chips))
    tab.page.get_by_role("button", name="Show all").click()
    assert len(shown(tab)) == len(by_result)


@pytest.mark.parametrize("view, misses, logarithmic", [
    ("#", False, False), ("#ratio=miss", True, False), ("#axis=log", False, True), ("#ratio=miss&axis=log", True, True)])
def test_ratio_charts_show_hits_or_misses_on_either_axis(open_tab, view, misses, logarithmic):
    """Every point is where the axis, as it is labelled, says that its value is."""
    tab = open_tab("fixed", view)
    charts = tab.page.evaluate(f"""[...document.querySelectorAll('{RATIO}')].map((svg) => ({{
        title: svg.closest("figure").querySelector("h3").textContent,
        ticks: [...svg.querySelectorAll('.tick[text-anchor="end"]')]
            .map((tick) => [parseFloat(tick.textContent), tick.getAttribute("y") - 4]),
        curves: [...svg.querySelectorAll("g[data-values]")]
            .map((g) => [g.dataset.values, g.querySelector(".line"), g.querySelector(".mark")])
            .map(([values, ...paths]) => [values, ...paths.map((path) => path.getAttribute("d"))])}}))""")
    assert len(charts) >= 2
    scale = math.log if logarithmic else float
    for chart in charts:
        assert ("iss ratio" in chart["title"]) == misses
        (low, bottom), (high, top) = min(chart["ticks"]), max(chart["ticks"])
        assert len(chart["ticks"]) >= 2 and len({y for _, y in chart["ticks"]}) == len(chart["ticks"])
        for values, line, marks in chart["curves"]:
            values = [100 - float(v) if misses else float(v) for v in values.split("|") if v]
            values = [v for v in values if v > 0 or not logarithmic]
            heights = [float(y) for y in re.findall(r"[ML]\S+ ([-0-9.]+)", line)]
            assert len(values) == len(heights) == marks.count("M")
            for value, y in zip(values, heights):
                share = (scale(value) - scale(low)) / (scale(high) - scale(low))
                assert abs(bottom + share * (top - bottom) - y) < 0.6, chart["title"]


def test_pointer_near_a_point_tells_its_value(open_tab):
    tab = open_tab("fixed", "#ratio=miss")
    box, label, value = tab.page.evaluate(f"""() => {{
        const svg = document.querySelector('{RATIO}'), g = svg.querySelector("g[data-values]");
        svg.scrollIntoView({{ block: "center" }});
        const [x, y] = g.querySelector(".line").getAttribute("d").match(/[0-9.]+/g).map(Number);
        const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
        return [[at.x, at.y], g.dataset.label, (100 - g.dataset.values.split("|")[0]).toFixed(2)];
    }}""")
    tab.page.mouse.move(*box)
    tab.page.mouse.move(box[0] + 1, box[1])
    assert tab.page.locator("#tip").inner_text().startswith(f"{label}\n{value} % at ")


@pytest.mark.parametrize("kind", ["run", "curve", "bench", "advise"])
def test_downloads_are_the_embedded_bytes_and_the_files_beside_the_page(open_tab, pages, kind):
    tab = open_tab(kind)
    carried = embedded(pages.file(kind).read_text())
    for one in tab.page.locator("[data-download]").all():
        name, data = tab.download(one.click)
        assert data == carried[name].encode()
        if name.endswith(".csv"):
            assert data == (pages.folder / kind / name).read_bytes()
        else:
            assert json.loads(data) == json.loads((pages.folder / kind / name).read_bytes())


def menu(tab, chart, item):
    card = tab.page.locator("figure", has=chart).first
    card.locator(".menu summary").click()
    return tab.download(card.get_by_role("button", name=item).click)


def test_chart_saves_its_data_and_itself(open_tab):
    tab = open_tab("fixed", "#ratio=miss")
    tab.page.locator(".chip", has_text="fifo").last.click()
    chart = tab.page.locator(RATIO).first
    name, data = menu(tab, chart, "Data as CSV")
    rows = list(csv.reader(io.StringIO(data.decode())))
    assert name == "zipf-hit-ratio-against-capacity.csv" and rows[0][0] == "Policy" and data.endswith(b"\r\n")
    values = dict(tab.page.evaluate(f"""[...document.querySelector('{RATIO}').querySelectorAll("g[data-values]")]
        .map((g) => [g.dataset.label, g.dataset.values])"""))
    assert {row[0]: "|".join(f"{float(value) * 100:.2f}" for value in row[1:]) for row in rows[1:]} == values
    name, data = menu(tab, chart, "Image as SVG")
    drawing = xml.dom.minidom.parseString(data).documentElement
    assert name == "zipf-miss-ratio-against-capacity.svg" and drawing.tagName == "svg"
    assert b"color(" not in data and b"light-dark" not in data
    labels = [g.getAttribute("data-label") for g in drawing.getElementsByTagName("g")]
    assert sorted(labels) == sorted(shown(tab)) and len(labels) == len(values) - 1
    name, data = menu(tab, chart, "Image as PNG")
    image = Image.open(io.BytesIO(data))
    box = chart.bounding_box()
    assert image.format == "PNG" and abs(image.width - 2 * box["width"]) <= 2
    assert len(image.convert("RGB").getcolors(1 << 20)) > 50


def until(page, expression):
    """Waits for what is so soon: the page's own policy forbids Playwright's way, which evaluates text in it, where it is not so at once."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        # A page that is just being left answers nothing.
        with contextlib.suppress(Error):
            if page.evaluate(expression):
                return
        page.wait_for_timeout(50)
    pytest.fail(f"not so: {expression}")


def test_link_shows_the_same_view_again(open_tab):
    tab = open_tab("fixed")
    tab.page.get_by_role("button", name="Dark", exact=True).click()
    tab.page.locator(".chip", has_text="s3fifo").click()
    tab.page.get_by_role("button", name="By name").click()
    tab.page.get_by_role("button", name="Misses", exact=True).click()
    tab.page.get_by_role("button", name="Logarithmic").click()
    tab.page.locator(".fold summary").last.click()
    cells = tab.page.locator(".fold").last
    cells.locator("th button").nth(1).click()
    cells.get_by_placeholder("Filter rows").fill("lirs")
    tab.page.locator("#policies th button").first.click()
    until(tab.page, "location.hash.includes('fold=')")
    before = tab.page.evaluate(STATE)
    again = open_tab("fixed", "#" + tab.page.url.split("#")[1])
    assert again.page.evaluate(STATE) == before
    plain = open_tab("fixed").page.evaluate(STATE)
    assert all(plain[part] != before[part] for part in before)
    # An address that is pasted into the same window, too; and one that this page does not know breaks nothing.
    again.page.goto(again.page.url.split("#")[0])
    again.page.goto(tab.page.url)
    until(again.page, "document.documentElement.dataset.theme && document.querySelector('.menu')")
    assert again.page.evaluate(STATE) == before
    open_tab("fixed", "#hide=s99,&sort=99.9a,0.99d,x&fold=999,x&heat0=-1&rows0=%00&at=nothing&ratio=x&axis=x")


def test_link_to_a_section_goes_there(open_tab):
    assert open_tab("fixed", "#trace-2").page.evaluate("location.hash") == "#trace-2"
    tab = open_tab("largest", "#at=trace-4")
    until(tab.page, "document.querySelector('#trace-4 h2').getBoundingClientRect().top < 300")
    top = tab.page.evaluate("document.querySelector('#trace-4 h2').getBoundingClientRect().top")
    assert tab.page.evaluate("document.querySelector('.legend').offsetHeight") <= top < 300


@pytest.mark.parametrize("kind", ["fixed", "trace", "conform"])
def test_keyboard_reaches_everything(open_tab, kind):
    tab = open_tab(kind)
    wanted = tab.page.evaluate("""() => {
        const found = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]
            .filter((e) => e.checkVisibility({ visibilityProperty: true }));
        found.forEach((e, index) => { e.dataset.stop = index; });
        return found.length;
    }""")
    seen = set()
    for _ in range(wanted + 5):
        tab.page.keyboard.press("Tab")
        stop, outlined = tab.page.evaluate("""[document.activeElement.dataset.stop,
            getComputedStyle(document.activeElement).outlineStyle]""")
        if stop is not None:
            seen.add(int(stop))
            assert outlined != "none"
    assert seen == set(range(wanted))


def test_menu_and_skip_link_work_by_keyboard(open_tab):
    tab = open_tab("fixed")
    press_all(tab, ["Tab", "Enter"])
    assert tab.page.evaluate("document.activeElement.id") == "main"
    summary = tab.page.locator(".menu summary").first
    summary.focus()
    press_all(tab, ["Enter", "Escape"])
    assert tab.page.locator(".menu[open]").count() == 0
    summary.focus()
    press_all(tab, ["Enter", "Tab"])
    name, _ = tab.download(lambda: tab.page.keyboard.press("Enter"))
    assert name.endswith(".csv")


def test_text_of_users_stays_text(open_tab):
    tab = open_tab("hostile")
    titles = tab.page.locator("h2").all_text_contents()
    assert any("<script>alert(1)<b>" in title for title in titles)
    assert any(title.startswith("=1+1") for title in titles)
    assert tab.page.locator("main script, main b").count() == 0
    _, data = tab.download(tab.page.locator("[data-download$=csv]").click)
    rows = list(csv.DictReader(io.StringIO(data.decode())))
    assert {row["trace"] for row in rows} == {"<script>alert(1)<b>", "'=1+1"}


def test_heat_map_ranks_the_policies_of_each_trace(open_tab, fragment):
    tab = open_tab("fixed", file=fragment)
    assert column(tab, ".heat", 2) == ["3", "4", "1", "2"]
    assert column(tab, ".heat", 3) == ["3", "–", "1", "1"]
    tab.page.locator("#heat select").select_option("5%")
    assert column(tab, ".heat", 3) == ["1", "4", "3", "2"]
    tab.page.locator("#heat .choice button").last.click()
    assert column(tab, ".heat", 2) == ["33.05 %", "29.82 %", "41.43 %", "40.65 %"]
    heat = tab.page.evaluate("""[...document.querySelectorAll(".heat td:nth-child(2)")]
        .map((cell) => Number(cell.style.getPropertyValue("--h")))""")
    assert heat == [0.28, 0, 1, 0.93]


def test_costs_follow_the_prices_and_the_cheapest_row_is_marked(open_tab, fragment):
    tab = open_tab("fixed", file=fragment)
    assert [cost.split()[0] for cost in column(tab, ".cost", 4)] == ["12.00", "14.00", "10.40"]
    tab.page.get_by_label("A miss").fill("0.1")
    tab.page.get_by_label("A GiB for a month").fill("1")
    assert [cost.split()[0] for cost in column(tab, ".cost", 4)] == ["101.00", "64.00", "85.00"]
    assert tab.texts(".cost .best th") == ["lru"] and tab.texts(".cost td small") == ["cheapest"]
    again = open_tab("fixed", "#" + tab.page.url.split("#")[1], file=fragment)
    assert column(again, ".cost", 4) == column(tab, ".cost", 4)
    again.page.get_by_label("A miss").fill("")
    assert column(again, ".cost", 4) == ["–"] * 3


def test_largest_page_hides_a_curve_on_every_chart(open_tab, capfd):
    """Tells the time from the start of loading until it is drawn so, which no test judges: a busy machine makes it longer."""
    times = []
    for _ in range(3):
        tab = open_tab("largest")
        times.append(tab.page.evaluate("""() => new Promise((resolve) => {
            const [load] = performance.getEntriesByType("navigation");
            const start = performance.now();
            document.querySelector(".chip").click();
            requestAnimationFrame(() => setTimeout(() => resolve(load.domContentLoadedEventEnd + performance.now() - start)));
        })"""))
        series = tab.page.locator(".chip").first.get_attribute("data-series")
        drawn, hidden = (tab.page.locator(f'g[data-series="{series}"]{state}').count() for state in ("", "[hidden]"))
        assert drawn == hidden > 0
    with capfd.disabled():
        print(f"\nlargest page: {min(times):.0f} ms from the start of loading to the first answer, the best of 3")
