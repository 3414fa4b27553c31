"""Where a server's weights come from: a shared volume, a hub, or a bucket."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from bedplate.components.facts import Volume
from bedplate.components.section import DnsLabel, Section
from bedplate.components.storage.section import Directory

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


class BucketWeights(Section):
    """Weights that every replica streams from S3 or Google Cloud Storage straight into GPU memory.

    By vLLM's Run:ai model streamer, which its image brings; the rights come from the pod's service account.
    """

    kind: Literal["bucket"]
    url: Annotated[str, Field(pattern=r"^(s3|gs)://[a-z0-9][a-z0-9._-]+/[^\s]*[^\s/]$")]
    """Such as `s3://models/llama-3.1-70b-instruct`."""
    service_account: DnsLabel
    """A service account of the namespace that may read it: by EKS Pod Identity, IRSA or Workload Identity."""
    read_gbs: Annotated[float, Field(gt=0)] = 0.5
    """GB/s that one node reads; the time a server may take to load is computed from it."""

    def speed(self, _: Mapping[str, Volume]) -> float:
        """The same."""
        return self.read_gbs


LlmWeights = Annotated[VolumeWeights | HubWeights | BucketWeights, Field(discriminator="kind")]
