"""What holds of every kind of page."""

import pytest
from axe_playwright_python.sync_playwright import Axe

VISIBLE = """(selector) => [...document.querySelectorAll(selector)]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))"""


def test_page_loads_nothing_and_complains_of_nothing(tab):
    assert tab.faults == []
    assert tab.requests == [tab.page.url.split("#")[0]]


def test_every_chart_is_drawn(tab):
    sizes = tab.page.evaluate(f"""({VISIBLE})("svg.chart").map((svg) => {{
        const [outer, inner] = [svg.getBoundingClientRect(), svg.getBBox()];
        return Math.min(outer.width, outer.height, inner.width, inner.height);
    }})""")
    assert all(size > 10 for size in sizes)
    assert sizes or tab.kind in ("conform", "history", "systems")
    assert not tab.page.locator("svg [d*=NaN], svg [x*=NaN], svg [y*=NaN], svg [width*=NaN]").count()


def test_heading_levels_do_not_skip(tab):
    levels = [int(level) for level in tab.page.evaluate(f"""({VISIBLE})("h1,h2,h3,h4,h5,h6").map((h) => h.tagName[1])""")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:])), levels


def test_axe_finds_nothing_serious_in_light_and_dark(tab):
    if tab.kind == "largest":
        pytest.skip("it has the markup of 'run', so often that axe takes a minute")
    # What is dark differs by its colours alone.
    for scheme, rules in [("light", {}), ("dark", {"runOnly": ["color-contrast"]})]:
        tab.page.emulate_media(color_scheme=scheme)
        found = Axe().run(tab.page, options={"resultTypes": ["violations"]} | rules).response["violations"]
        bad = [(one["id"], node["html"][:200]) for one in found for node in one["nodes"]
               if one["impact"] in ("serious", "critical")]
        assert bad == [], scheme
    tab.page.emulate_media(color_scheme="light")


def test_dark_is_dark_and_light_is_light(tab):
    def brightness():
        colour = tab.page.evaluate("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)")
        return sum(colour) / 3

    assert brightness() > 200
    tab.page.emulate_media(color_scheme="dark")
    assert brightness() < 60
    tab.page.get_by_role("button", name="Light", exact=True).click()
    assert brightness() > 200
    tab.page.get_by_role("button", name="Auto", exact=True).click()
    tab.page.emulate_media(color_scheme="light")


def test_narrow_window_does_not_scroll_sideways(tab):
    tab.page.set_viewport_size({"width": 360, "height": 800})
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert tab.page.evaluate("document.body.scrollWidth") <= 360
    tab.page.set_viewport_size({"width": 1280, "height": 900})


def test_print_has_no_controls_and_no_closed_fold(tab):
    tab.page.emulate_media(media="print", color_scheme="dark")
    controls = tab.page.evaluate(f"""({VISIBLE})("button, input, select, summary, nav, .tools")
        .filter((e) => !e.matches("thead button, .chip")).map((e) => e.outerHTML.slice(0, 100))""")
    assert controls == [] or tab.page.locator(".cost input").count()
    closed = tab.page.evaluate("""[...document.querySelectorAll("details:not(.menu) > :not(summary, .controls)")]
        .filter((e) => !e.checkVisibility({ contentVisibilityAuto: false })).map((e) => e.outerHTML.slice(0, 100))""")
    assert closed == []
    assert tab.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    tab.page.emulate_media(media="screen", color_scheme="light")
