"""Rules about rights in a cloud: whoever reads a bucket has some, and one service account is one thing."""

from collections.abc import Iterator
from itertools import chain

from bedplate.components.serving.triton import TritonServer
from bedplate.components.serving.weights import BucketWeights
from bedplate.components.workload.identity import AZURE, AnyAccount, ServiceAccount, annotations_of, name_of
from bedplate.stacks.profile.problem import Problem, keyed, problem
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
        yield problem("identity.default-account", name, key)
    if account and name and seen.setdefault((home, name), account) != account:
        yield problem("identity.account-differs", name, key, home=home)


def _rights(platform: str, weights: BucketWeights, key: str) -> Iterator[Problem]:
    scheme, account = weights.scheme, weights.service_account
    keys = "name a Secret with its keys as secretName, and the store as endpoint where it is not Amazon's"
    if weights.secret_name:
        return
    if account is None:
        fix = f"add serviceAccount, or {keys}" if scheme == "s3" else "add serviceAccount"
        yield problem("identity.account-missing", None, key, fix=fix)
    elif weights.endpoint:
        yield problem("identity.endpoint-without-keys", None, key, weights=weights)
    elif platform != HOMES[scheme] and TIES[scheme] not in annotations_of(account):
        elsewhere = "copy the weights to a volume" + (", or read the bucket by its S3 interface" * (scheme == "gs"))
        fix = keys if scheme == "s3" else elsewhere
        yield problem("identity.no-rights-there", weights.url, key, platform=platform, scheme=scheme, fix=fix)
    elif scheme == "az" and isinstance(account, ServiceAccount) and AZURE not in account.annotations:
        yield problem("identity.azure-client-id", None, key, azure=AZURE)


def _store(weights: BucketWeights, key: str) -> Iterator[Problem]:
    """Only what speaks S3 has another address, or keys; only Azure has accounts."""
    for field, value in (("endpoint", weights.endpoint), ("secretName", weights.secret_name)):
        if value and (seller := SELLERS.get(weights.scheme)):
            fix = "remove it, or name the bucket as s3://" if weights.scheme == "gs" else "remove it"
            yield problem("identity.no-s3-there", value, key, field=field, weights=weights, seller=seller, fix=fix)
    if weights.account is None and weights.scheme == "az":
        yield problem("identity.storage-account-missing", None, key)
    if weights.account and weights.scheme != "az":
        yield problem("identity.storage-account", weights.account, key)
