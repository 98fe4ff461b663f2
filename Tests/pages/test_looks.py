"""Screenshots of a page of fixed results, compared with those in `looks`, which scripts/test-pages --update writes anew."""

import io
import os
import tempfile
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

LOOKS = Path(__file__).parent / "looks"
USUAL = dict(kind="fixed", view="", scheme="light", width=1000, selector=None, clip=None, media=None)
CASES = {
    "top-light": dict(clip=(0, 0, 1000, 620)),
    "curves-dark-misses-log": dict(view="#ratio=miss&axis=log", scheme="dark", selector="#trace-1 .card"),
    "curves-narrow": dict(width=360, selector="#trace-1 .card"),
    "bars-narrow": dict(width=360, selector="#trace-1 .card:has(.bars)"),
    "heat-and-cost-light": dict(selector="#heat, #cost", fragment=True),
    "heat-and-cost-dark": dict(view="#heatby0=ratio", scheme="dark", selector="#heat, #cost", fragment=True),
    "print": dict(width=760, media="print", clip=(0, 0, 760, 1000)),
}


def difference(image, expected):
    """How far apart two images are, from 0 to 1, blurred: a curve or the ticks of an axis less are 0.007 and more."""
    image, expected = (one.convert("RGB").resize((expected.width // 8, expected.height // 8), Image.Resampling.BOX)
                       for one in (image, expected))
    return max(ImageStat.Stat(ImageChops.difference(image, expected)).rms) / 255


@pytest.mark.parametrize("name", CASES)
def test_page_looks_as_before(open_tab, fragment, name):
    case = USUAL | CASES[name]
    tab = open_tab(case["kind"], case["view"], file=fragment if case.get("fragment") else None,
                   viewport={"width": case["width"], "height": 900}, color_scheme=case["scheme"], reduced_motion="reduce")
    if case["media"]:
        tab.page.emulate_media(media=case["media"])
    if case["clip"]:
        x, y, width, height = case["clip"]
        data = tab.page.screenshot(clip=dict(x=x, y=y, width=width, height=height), full_page=True)
        images = [Image.open(io.BytesIO(data))]
    else:
        parts = tab.page.locator(case["selector"])
        parts = parts.all() if "," in case["selector"] else [parts.first]
        images = [Image.open(io.BytesIO(part.screenshot())) for part in parts]
    image = Image.new("RGB", (max(one.width for one in images), sum(one.height for one in images)))
    top = 0
    for one in images:
        image.paste(one, (0, top))
        top += one.height
    file = LOOKS / f"{name}.png"
    if os.environ.get("UPDATE_LOOKS"):
        LOOKS.mkdir(exist_ok=True)
        image.quantize(128, dither=Image.Dither.NONE).save(file, optimize=True)
    expected = Image.open(file)
    assert abs(image.height - expected.height) <= 0.04 * expected.height and image.width == expected.width
    apart = difference(image, expected)
    if apart > 0.006:
        image.save(seen := Path(tempfile.gettempdir()) / f"{name}.png")
        pytest.fail(f"{seen} differs by {apart:.3f} from {file}; if it is right: scripts/test-pages --update")


def test_screenshots_are_small():
    assert sum(file.stat().st_size for file in LOOKS.glob("*.png")) < 300_000
