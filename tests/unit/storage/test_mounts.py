"""Each driver is mounted by its own options, in modes that it takes, by pods that carry what it asks for."""

from dataclasses import replace
from typing import Any

import pytest

from bedplate.components.facts import Args
from bedplate.components.serving import triton
from bedplate.components.serving.triton import TritonServer
from bedplate.components.storage.volumes import class_manifests, used, volume_spec
from bedplate.components.workload.identity import manifests
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.training_jobs import all_templates, cluster, job, rendered
from tests.unit.test_allocatable import profile

GCSFUSE = "gcsfuse.csi.storage.gke.io"
ACCOUNT = {"name": "reader", "annotations": {"iam.gke.io/gcp-service-account": "r@p.iam.gserviceaccount.com"}}


def stored(driver: str, platform: str = "gke", shape: str = "g2-standard-8", **volume: Any) -> Any:
    file_systems = {"models": {"handle": "bucket-or-id"}}
    models = {
        "name": "models",
        "namespaces": ["team"],
        "size": "1Ti",
        "path": "/models",
        "fileSystem": "models",
        **volume,
    }
    source = {"kind": "volume", "volume": "models", "directory": "a"}
    server = {"kind": "triton", "name": "one", "namespace": "team", "pool": "gpu", "weights": source}
    section = {"driver": {"kind": "custom", "driver": driver, "fileSystems": file_systems}, "volumes": [models]}
    return load({**profile(platform, shape), "storage": section, "serving": {"servers": [server]}})


def options(found: Any) -> list[str]:
    return volume_spec(found.storage.volumes[0], "team", found.storage, facts(found))["mountOptions"]


@pytest.mark.parametrize(
    ("driver", "known"),
    [
        ("fss.csi.oraclecloud.com", []),
        ("nfs.csi.k8s.io", []),
        ("efs.csi.aws.com", []),
        ("s3.csi.aws.com", []),
        ("somebody.example.com", []),
        ("lustre.csi.io", ["noatime", "flock"]),
        ("fsx.csi.aws.com", ["noatime", "flock"]),
    ],
)
def test_only_lustre_is_mounted_with_lustres_options(driver: str, known: list[str]) -> None:
    assert options(stored(driver)) == known
    assert options(stored(driver, mountOptions=["ro"])) == ["ro"], "what the profile says goes before it"


def test_a_class_of_a_driver_that_is_not_lustre_has_no_options_of_its() -> None:
    found = stored("somebody.example.com")
    section = found.storage.model_copy(update={"classes": ()})
    assert class_manifests(section) == []
    driven = {"kind": "custom", "driver": "somebody.example.com"}
    document = {**profile("gke", "g2-standard-8"), "storage": {"driver": driven, "classes": [{"name": "fast"}]}}
    (made,) = class_manifests(load(document).storage)  # type: ignore[arg-type]
    assert "mount_options" not in made


@pytest.mark.parametrize(
    ("driver", "mode", "fix"),
    [
        ("efs.csi.aws.com", "ReadOnlyMany", "use ReadWriteMany"),
        ("s3.csi.aws.com", "ReadWriteOnce", "use ReadWriteMany"),
    ],
)
def test_a_mode_that_the_driver_refuses_is_refused(driver: str, mode: str, fix: str) -> None:
    with pytest.raises(ProfileError, match=rf"storage\.volumes\[0\]\.mode = {mode}: .*; {fix}"):
        stored(driver, mode=mode)
    stored(driver, mode="ReadWriteMany")


def test_cloud_storage_fuse_needs_an_account_and_an_annotation_and_pods_have_both() -> None:
    with pytest.raises(ProfileError, match=r"storage\.volumes\[0\]\.serviceAccount = absent: .* rights of the pod's"):
        stored(GCSFUSE)
    found = stored(GCSFUSE, serviceAccount=ACCOUNT)
    server = found.serving.servers[0]
    assert isinstance(server, TritonServer)
    pod = triton.manifests(server, facts(found), surge=False)[0]["spec"]["template"]
    assert pod["metadata"]["annotations"]["gke-gcsfuse/volumes"] == "true"
    assert pod["spec"]["serviceAccountName"] == "reader"
    assert options(found) == ["implicit-dirs"]
    (made,) = manifests(used(Args(found.storage, facts(found)).section))
    assert made["metadata"] == {"name": "reader", "namespace": "team", "annotations": ACCOUNT["annotations"]}


def test_jobs_that_mount_it_carry_the_same_and_have_one_account() -> None:
    plain = cluster("onprem-h100-roce")
    volume = facts(stored(GCSFUSE, serviceAccount=ACCOUNT)).volumes["models"]
    mine = replace(volume, namespaces=("research",))
    other = replace(mine, name="data", path="/data", service_account="other")
    known = replace(plain, volumes={"models": mine, "data": other})
    mounts = [{"claim": "models", "path": "/models", "readOnly": True}]
    for template in all_templates(rendered(job(volumes=mounts), known)):
        assert template["metadata"]["annotations"]["gke-gcsfuse/volumes"] == "true"
        assert template["spec"]["serviceAccountName"] == "reader"
    two = job(volumes=[*mounts, {"claim": "data", "path": "/data", "readOnly": True}])
    with pytest.raises(ProfileError, match="volumes = 2 volumes: models and data are read by different service acc"):
        rendered(two, known)


def test_its_sidecars_are_taken_off_what_a_node_gives() -> None:
    plain = facts(stored("nfs.csi.k8s.io")).pools[0].allocatable
    fused = facts(stored(GCSFUSE, serviceAccount="reader")).pools[0].allocatable
    assert (plain.millicores - fused.millicores, plain.memory - fused.memory) == (250, 256)


@pytest.mark.parametrize(("shape", "pods"), [("g2-standard-8", 1), ("g2-standard-24", 2), ("g2-standard-48", 4)])
def test_as_many_sidecars_as_pods_share_the_nodes_gpus(shape: str, pods: int) -> None:
    plain, fused = (
        facts(stored(driver, shape=shape, **account)).pools[0].allocatable
        for driver, account in (("nfs.csi.k8s.io", {}), (GCSFUSE, {"serviceAccount": "reader"}))
    )
    assert (plain.millicores - fused.millicores, plain.memory - fused.memory) == (250 * pods, 256 * pods)


def test_an_account_that_is_there_is_looked_up_in_each_namespace_of_the_volume() -> None:
    found = stored(GCSFUSE, serviceAccount="reader")
    assert [one.identity for one in facts(found).existing if one.kind == "ServiceAccount"] == ["team/reader"]
    assert manifests(used(found.storage)) == []
