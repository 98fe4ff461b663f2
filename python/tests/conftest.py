"""What the tests of sweeps share."""

import pytest
from sweeps import Plan


@pytest.fixture(autouse=True)
def no_compiled_traces(tmp_path, monkeypatch):
    """What is expected of a trace that was compiled before is another thing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def make_plan(tmp_path):
    """Makes plans in a folder of the test."""

    def make(requests, name="here", **options):
        return Plan(tmp_path / name, requests, **options)

    return make
