"""What schedulers are given, against what they take."""

import copy

import pytest
from sweeps import assay

kubernetes_validate = pytest.importorskip("kubernetes_validate", reason="the schemas of Kubernetes are not installed")
yaml = pytest.importorskip("yaml")


# The first version that has what the manifest needs, and the newest that is known.
@pytest.mark.parametrize("version", ["1.29.0", kubernetes_validate.latest_version()])
def test_the_manifest_is_a_job_of_kubernetes(make_plan, version):
    """The manifest of a job is refused as a whole for one wrong name, by a cluster that nobody has at hand."""
    plan = make_plan(1000)
    directory = plan.planned(parts=2)
    text = assay(plan.folder, "sweep", "script", "kubernetes", directory, "--image", "example.org/a:1", "--claim", "corpus",
                 "--tasks", 4, "--at-once", 2, "--cpus", 3, "--program", "/opt/it's \"here\"/assay")  # fmt: skip
    job = yaml.safe_load(text)
    kubernetes_validate.validate(job, version, strict=True)
    assert (job["spec"]["completions"], job["spec"]["parallelism"]) == (4, 2)
    container = job["spec"]["template"]["spec"]["containers"][0]
    assert container["resources"]["requests"]["cpu"] == "3"
    assert container["args"][0].startswith("""exec '/opt/it'\\''s "here"/assay' sweep run """)

    # A schema that takes anything would prove nothing.
    for change in ({"completionMode": 3}, {"completionsMode": "Indexed"}, {"backoffLimitPerIndex": "4 times"}):
        wrong = copy.deepcopy(job)
        wrong["spec"].update(change)
        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(wrong, version, strict=True)
