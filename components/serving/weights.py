"""Where a server's weights come from: a shared volume, a hub, or a bucket."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from bedplate.components.facts import Volume
from bedplate.components.section import DnsLabel, Section
from bedplate.components.storage.section import Directory, straight
from bedplate.components.workload.identity import AZURE_PODS, AnyAccount

HUB_GBS = 0.1
"""A public hub over the internet."""


class VolumeWeights(Section):
    """Weights that are on a shared volume."""

    kind: Literal["volume"]
    volume: DnsLabel
    """One of `storage.volumes`, in the server's namespace."""
    directory: Directory
    """Below the volume's root."""

    def speed(self, volumes: Mapping[str, Volume]) -> float:
        """GB/s that one node reads."""
        return volumes[self.volume].read_gbs


class HubWeights(Section):
    """Weights that the first replica fetches from the Hugging Face hub; its namespace must be allowed to."""

    kind: Literal["hugging-face"]
    repository: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
    """Such as `meta-llama/Llama-3.1-8B-Instruct`."""
    revision: str | None = None
    """A commit, so that tomorrow's replicas load what today's did."""
    gated: bool = False
    """The licence must be accepted: uses the secret `huggingFaceToken`."""
    cache: DnsLabel | None = None
    """A writable volume of `storage.volumes` for the download; absent: the nodes' own disks (`storage.cache`)."""

    def speed(self, _: Mapping[str, Volume]) -> float:
        """The same."""
        return HUB_GBS


ACCESS_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
"""Keys of the Secret, and the variables that the streamer reads them from."""

HOST_ONLY = re.compile(r"//([^/]+\.)?(cwobject|cwlota)\.com(?=[:/]|$)")
"""Stores that take a bucket as a part of the host's name, never of the path (CoreWeave AI Object Storage, "Set
endpoints", 2026-11-23); any other is asked by path, which all of them take."""


class BucketWeights(Section):
    """Weights that every replica streams from S3, Google Cloud Storage or Azure Blob straight into GPU memory.

    By vLLM's Run:ai model streamer, which its image brings. The rights come from the pod's service account, or of any
    store that speaks S3 by keys that lie in a Secret.
    """

    kind: Literal["bucket"]
    url: Annotated[
        str, Field(pattern=r"^(s3|gs|az)://[a-z0-9][a-z0-9._-]+/[^\s?#]*[^\s?#/]$"), AfterValidator(straight)
    ]
    """Such as `s3://models/llama-3.1-70b-instruct`; of Azure `az://<container>/<path>`."""
    account: Annotated[str, Field(pattern=r"^[a-z0-9]{3,24}$")] | None = None
    """Azure's storage account, which holds the container of an `az://`."""
    service_account: AnyAccount | None = None
    """A service account of the namespace that may read it, by EKS Pod Identity, IRSA or Workload Identity: its name if
    it is there already, or name and annotations of one to make."""
    endpoint: Annotated[str, Field(pattern=r"^https?://[^\s/@]+(/[^\s@]*)?$")] | None = None
    """Of a store that speaks S3 and is not Amazon's, such as `https://object.example.com`."""
    secret_name: DnsLabel | None = None
    """A Secret of the namespace, by its name, with the keys AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; whoever has
    them makes it, and neither profile nor state ever holds them."""
    read_gbs: Annotated[float, Field(gt=0)] = 0.5
    """GB/s that one node reads; the time a server may take to load is computed from it."""

    def speed(self, _: Mapping[str, Volume]) -> float:
        """The same."""
        return self.read_gbs

    @property
    def env(self) -> dict[str, str]:
        """What the streamer must know of another store (vLLM documentation, "Run:ai Model Streamer")."""
        if self.account:
            return {"AZURE_STORAGE_ACCOUNT_NAME": self.account}
        if self.endpoint is None:
            return {}
        by_host = "1" if HOST_ONLY.search(self.endpoint) else "0"
        said = {"RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING": by_host, "AWS_EC2_METADATA_DISABLED": "true"}
        return {"AWS_ENDPOINT_URL": self.endpoint, **said}

    @property
    def scheme(self) -> str:
        """s3, gs or az."""
        return self.url.partition(":")[0]

    @property
    def pod_labels(self) -> Mapping[str, str]:
        """Without it a pod has no token for Azure, whoever made its account."""
        return AZURE_PODS if self.scheme == "az" else {}

    @property
    def keys(self) -> dict[str, tuple[str, str]]:
        """Secret and key by variable."""
        return {name: (self.secret_name, name) for name in ACCESS_KEYS} if self.secret_name else {}


LlmWeights = Annotated[VolumeWeights | HubWeights | BucketWeights, Field(discriminator="kind")]
