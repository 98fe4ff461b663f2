"""What the tests of sweeps share."""

import contextlib
import os
import socket

import pytest
from sweeps import Plan

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
    from ray.cluster_utils import Cluster

    # Ray gives an agent 15 seconds to choose its ports, which a busy machine may not give it; what is chosen is not waited for.
    def ports():
        names = ("metrics_agent_port", "metrics_export_port", "dashboard_agent_listen_port", "runtime_env_agent_port")
        with contextlib.ExitStack() as stack:
            sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in names]
            return dict(zip(names, (each.getsockname()[1] for each in sockets)))

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **ports()})
    nodes = {
        name: cluster.add_node(
            num_cpus=1, memory=1 << 30, object_store_memory=80 << 20, env_vars={"NODE": name}, wait=False, **ports(),
            node_ip_address=f"127.0.0.{number}",  # the driver belongs to the head, as on another machine
        )
        for number, name in enumerate(("quick", "slow", "doomed"), 2)
    }  # fmt: skip
    cluster.wait_for_nodes()
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
