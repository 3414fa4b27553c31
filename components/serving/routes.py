"""How a server is reached from outside the cluster, as a profile says it."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from bedplate.charts import sets
from bedplate.components.section import DnsLabel, Seconds, Section

Hostname = Annotated[str, Field(pattern=r"^[a-z0-9*]([a-z0-9.-]*[a-z0-9])?$")]


class _Way(Section):
    """What both have in common."""

    annotations: Mapping[str, str] = Field(default_factory=dict)
    """Of the HTTPRoute or Ingress, over ours: certificates, schemes and the like of its controller."""
    timeout: Seconds = 3600
    """The longest answer; load balancers cut off after 30 or 60 seconds unless they are told."""


class EndpointPicker(Section):
    """Sends each request to the replica that has room for it and its prompt in the cache.

    The Gateway API inference extension: an InferencePool, and llm-d's picker. The kind InferencePool is the site's, as
    the gateway is. Of a pair it also chooses which server reads the prompt.
    """

    image: Annotated[str, Field(min_length=1)] = sets.image("ghcr.io/llm-d/llm-d-router-endpoint-picker")
    """Of the picker; another one must take the same arguments and configuration (llm-d.ai/v1alpha1)."""
    failure_mode: Literal["FailOpen", "FailClose"] | None = None
    """While the picker does not answer: FailOpen sends requests to any replica, as by default, FailClose refuses them,
    as for a pair, whose halves must not be asked by themselves."""


class GatewayRoute(_Way):
    """An HTTPRoute of the Gateway API; the gateway and its CRDs are the site's, and so is its certificate."""

    kind: Literal["gateway"]
    gateway: DnsLabel
    gateway_namespace: DnsLabel
    hostnames: tuple[Hostname, ...] = Field(min_length=1)
    implementation: Literal["gke", "istio", "conformant"] | None = None
    """Who runs it: Google's load balancers (by default on GKE), which take health check and timeout from policies of
    their own; Istio, which must be told to trust a picker's certificate; or any that conforms."""
    endpoint_picker: EndpointPicker | None = None
    """Choose the replica of each request instead of taking turns; for servers of kind vllm."""


class IngressRoute(_Way):
    """An Ingress. ingress-nginx was retired in March 2026: prefer a gateway."""

    kind: Literal["ingress"]
    class_name: Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$")]
    """Such as `alb` (EKS), `gce` (GKE) or `webapprouting.kubernetes.azure.com` (AKS); those get what they need."""
    hostname: Hostname
    tls_secret: DnsLabel | None = None
    """A Secret of the namespace with the hostname's certificate."""


Route = Annotated[GatewayRoute | IngressRoute, Field(discriminator="kind")]
