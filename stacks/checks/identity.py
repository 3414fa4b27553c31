"""Rules about rights in a cloud: whoever reads a bucket has some, and one service account is one thing."""

from collections.abc import Iterator
from itertools import chain

from bedplate.components.serving.triton import TritonServer
from bedplate.components.serving.weights import BucketWeights
from bedplate.components.workload.identity import AnyAccount, annotations_of, name_of
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile

HOMES = {"s3": "eks", "gs": "gke"}
"""Where pods have rights to a store of that scheme by their service account alone."""
TIES = {"s3": "eks.amazonaws.com/role-arn", "gs": "iam.gke.io/gcp-service-account"}
"""Annotations that a webhook of the site's may serve elsewhere (aws/amazon-eks-pod-identity-webhook)."""


def check_identity(profile: Profile) -> Iterator[Problem]:
    """Every fault of service accounts and keys."""
    seen: dict[tuple[str, str], AnyAccount] = {}
    for index, volume in enumerate(profile.storage.volumes if profile.storage else ()):
        for home in volume.namespaces if volume.service_account else ():
            yield from _one(seen, home, volume.service_account, f"storage.volumes[{index}].serviceAccount")
    for index, server in enumerate(profile.serving.servers if profile.serving else ()):
        key = f"serving.servers[{index}].weights"
        if isinstance(server, TritonServer) or not isinstance(server.weights, BucketWeights):
            continue
        yield from chain(_rights(profile.platform, server.weights, key), _store(server.weights, key))
        yield from _one(seen, server.namespace, server.account, f"{key}.serviceAccount")


def _one(seen: dict[tuple[str, str], AnyAccount], home: str, account: AnyAccount | None, key: str) -> Iterator[Problem]:
    """Whoever names an account of a namespace says the same of it."""
    name = name_of(account)
    if name == "default" and not isinstance(account, str):
        yield Problem(key, name, "every namespace has it already, so that it cannot be made", "use another name")
    if account and name and seen.setdefault((home, name), account) != account:
        reason = f"another volume or server of {home} says something else of this account"
        yield Problem(key, name, reason, "say the same of both, or give each its own")


def _rights(platform: str, weights: BucketWeights, key: str) -> Iterator[Problem]:
    scheme = weights.url.partition(":")[0]
    keys = "name a Secret with its keys as secretName, and the store as endpoint where it is not Amazon's"
    if weights.secret_name:
        return
    if weights.service_account is None:
        fix = f"add serviceAccount, or {keys}" if scheme == "s3" else "add serviceAccount"
        yield Problem(f"{key}.serviceAccount", None, "nobody has given the pods rights to the bucket", fix)
    elif weights.endpoint:
        reason = f"{weights.endpoint} knows no service account of this cluster"
        yield Problem(f"{key}.secretName", None, reason, "name a Secret with its keys")
    elif platform != HOMES[scheme] and TIES[scheme] not in annotations_of(weights.service_account):
        reason = f"no service account of {platform} has rights to {scheme}://"
        fix = keys if scheme == "s3" else "copy the weights to a volume, or read the bucket by its S3 interface"
        yield Problem(f"{key}.url", weights.url, reason, fix)


def _store(weights: BucketWeights, key: str) -> Iterator[Problem]:
    """Only what speaks S3 has another address, or keys."""
    for field, value in (("endpoint", weights.endpoint), ("secretName", weights.secret_name)):
        if value and weights.url.startswith("gs:"):
            reason = "a bucket of gs:// is Google's, and read by a service account"
            yield Problem(f"{key}.{field}", value, reason, "remove it, or name the bucket as s3://")
