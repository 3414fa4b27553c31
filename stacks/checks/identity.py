"""Rules about rights in a cloud: whoever reads a bucket has some, and one service account is one thing."""

from collections.abc import Iterator
from itertools import chain

from bedplate.components.serving.triton import TritonServer
from bedplate.components.serving.weights import BucketWeights
from bedplate.components.workload.identity import AZURE, AnyAccount, ServiceAccount, annotations_of, name_of
from bedplate.stacks.profile.problem import Problem, keyed
from bedplate.stacks.profile.profile import Profile

HOMES = {"s3": "eks", "gs": "gke", "az": "aks"}
"""Where pods have rights to a store of that scheme by their service account alone."""
TIES = {"s3": "eks.amazonaws.com/role-arn", "gs": "iam.gke.io/gcp-service-account", "az": AZURE}
"""Annotations that a webhook of the site's may serve elsewhere (aws/amazon-eks-pod-identity-webhook)."""
SELLERS = {"gs": "Google's", "az": "Azure's"}


def check_identity(profile: Profile) -> Iterator[Problem]:
    """Every fault of service accounts and keys."""
    seen: dict[tuple[str, str], AnyAccount] = {}
    for key, volume in keyed("storage.volumes", profile.volumes):
        for home in volume.namespaces if volume.service_account else ():
            yield from _one(seen, home, volume.service_account, f"{key}.serviceAccount")
    for at, server in keyed("serving.servers", profile.servers):
        key = f"{at}.weights"
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
    scheme, account = weights.scheme, weights.service_account
    keys = "name a Secret with its keys as secretName, and the store as endpoint where it is not Amazon's"
    if weights.secret_name:
        return
    if account is None:
        fix = f"add serviceAccount, or {keys}" if scheme == "s3" else "add serviceAccount"
        yield Problem(f"{key}.serviceAccount", None, "nobody has given the pods rights to the bucket", fix)
    elif weights.endpoint:
        reason = f"{weights.endpoint} knows no service account of this cluster"
        yield Problem(f"{key}.secretName", None, reason, "name a Secret with its keys")
    elif platform != HOMES[scheme] and TIES[scheme] not in annotations_of(account):
        reason = f"no service account of {platform} has rights to {scheme}://"
        elsewhere = "copy the weights to a volume" + (", or read the bucket by its S3 interface" * (scheme == "gs"))
        yield Problem(f"{key}.url", weights.url, reason, keys if scheme == "s3" else elsewhere)
    elif scheme == "az" and isinstance(account, ServiceAccount) and AZURE not in account.annotations:
        reason = "Azure's webhook would not know whose rights its pods get"
        yield Problem(f"{key}.serviceAccount.annotations", None, reason, f"add {AZURE}, the identity's client id")


def _store(weights: BucketWeights, key: str) -> Iterator[Problem]:
    """Only what speaks S3 has another address, or keys; only Azure has accounts."""
    for field, value in (("endpoint", weights.endpoint), ("secretName", weights.secret_name)):
        if value and (seller := SELLERS.get(weights.scheme)):
            reason = f"a bucket of {weights.scheme}:// is {seller}, and read by a service account"
            fix = "remove it, or name the bucket as s3://" if weights.scheme == "gs" else "remove it"
            yield Problem(f"{key}.{field}", value, reason, fix)
    if (weights.account is None) == (weights.scheme == "az"):
        reason = "it is the storage account of a container of az://" + (", which has none" * (weights.account is None))
        yield Problem(f"{key}.account", weights.account, reason, "remove it" if weights.account else "add it")
