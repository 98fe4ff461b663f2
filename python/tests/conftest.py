"""What the tests of sweeps share."""

import os

import pytest
from sweeps import Plan, ray_cluster

# A machine that is busy starts a node slowly; Ray reads this when it is imported.
os.environ.setdefault("RAY_gcs_server_request_timeout_seconds", "600")
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"


@pytest.fixture(scope="session")
def stores(tmp_path_factory):
    """Where processes of the tests, and nodes that were started before, are told of a store."""
    folder = tmp_path_factory.mktemp("aws")
    os.environ.update(AWS_CONFIG_FILE=str(folder / "config"), AWS_SHARED_CREDENTIALS_FILE=str(folder / "credentials"))
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
    (folder / "credentials").write_text("[default]\naws_access_key_id = testing\naws_secret_access_key = testing\n")
    return folder / "config"


@pytest.fixture(scope="session")
def cluster(stores):
    """The address of a head without processors and three nodes of one, and the nodes."""
    pytest.importorskip("ray", reason="Ray is not installed")
    try:
        cluster, nodes = ray_cluster(0, ("quick", "slow", "doomed"))
    except Exception as error:
        # Ray itself gives up on a machine that is too busy, which is no fault of a sweep.
        pytest.skip(f"Ray starts no cluster here: {error}")
    yield cluster.address, nodes
    cluster.shutdown()


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
