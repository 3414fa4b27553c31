"""A destroy with people's objects in the cluster ends, or says what it waits for while the controllers still run."""

import json

import pytest

from bedplate.lab.binaries import LabError
from bedplate.lab.engine import Engine
from tests.engine.profiles import changed
from tests.engine.test_gates import profile_of

UP = ("up", "--yes", "--skip-preview", "--stack", "lab")
FINALIZER = "kueue.x-k8s.io/resource-in-use"
WORKLOAD = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "Workload",
    "metadata": {"name": "peoples", "namespace": "research", "finalizers": [FINALIZER]},
    "spec": {
        "queueName": "default",
        "podSets": [
            {
                "name": "main",
                "count": 1,
                "template": {"spec": {"containers": [{"name": "main", "image": "x"}], "restartPolicy": "Never"}},
            }
        ],
    },
}


def test_a_destroy_waits_for_peoples_objects_before_it_takes_their_controllers(engine: Engine) -> None:
    engine.configure(changed(profile_of(engine), "tenancy", leaveTimeout=15))
    engine.run(*UP)
    engine.cluster.apply([WORKLOAD])
    with pytest.raises(LabError, match=f"(?s)namespace research does not go; .*{FINALIZER} in 1 resource instances"):
        engine.destroy()
    state = {resource["urn"].rsplit("::", 1)[-1] for resource in engine.state()}
    assert {"kueue", "jobset"} <= state, "who could still take the finalizer away is there"
    released = json.dumps({"metadata": {"finalizers": None}})
    engine.cluster.kubectl("-n", "research", "patch", "workload", "peoples", "--type=merge", "-p", released)
    engine.destroy()
    assert engine.state() == []
