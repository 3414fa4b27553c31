"""The cluster profile: every decision a platform engineer makes, and nothing else.

An absent section is a component the cluster does without. No Outputs and no secrets: a profile can be printed,
compared and put in review. Rules that span sections are in `stacks/checks/`; what follows from a profile is in
`stacks/facts/`.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import Field, model_validator

from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.extension import AnyExtension
from bedplate.components.network.efa_device_plugin import EfaDevicePluginSection
from bedplate.components.network.multus import MultusSection
from bedplate.components.network.whereabouts import WhereaboutsSection
from bedplate.components.nodes.feature_discovery import NodeFeatureDiscoverySection
from bedplate.components.observability.health import HealthSection
from bedplate.components.observability.monitoring import AnyAutoscaling, AnyMonitoring
from bedplate.components.operators.dra_driver import DraDriverSection
from bedplate.components.operators.gpu_operator import GpuOperatorSection
from bedplate.components.operators.network_operator import NetworkOperatorSection
from bedplate.components.platforms import PlatformName
from bedplate.components.section import DnsLabel, Section
from bedplate.components.serving.section import AnyServer, ServingSection
from bedplate.components.storage.section import SharedVolume, StorageSection
from bedplate.components.tenancy.teams import Team, TenancySection
from bedplate.components.verification.admission import AdmissionSection
from bedplate.components.verification.nccl import VerificationSection
from bedplate.components.verification.pools import ReadinessSection
from bedplate.components.waiver import Waiver
from bedplate.stacks.hardware.own import HardwareSection, settled
from bedplate.stacks.hardware.platforms import DriverOwner, NodeOs
from bedplate.stacks.profile.cloud import AnyCloud
from bedplate.stacks.profile.cluster_network import ClusterNetwork
from bedplate.stacks.profile.fabrics import AnyFabric
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.sections import Acknowledged, AnyScheduler, SiteSection, Training
from bedplate.stacks.profile.version_set import OnTheWay, SetName

MinorVersion = Annotated[str, Field(pattern=r"^1\.[0-9]{2}$")]


class Charts(Section):
    """Where charts come from."""

    mirror: str = Field(min_length=1)
    """A directory of `<chart>-<version>.tgz`, or an `oci://` prefix, for sites without internet."""


class Images(Section):
    """Images by digest: nodes pull what was looked at, and not what a tag has been moved to."""

    file: str | None = None
    """A file beside the profile with `digests`, as `bedplate images ENV --format digests` writes it."""
    digests: dict[str, Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]] = Field(default={})
    """By image with registry and tag, such as `registry.k8s.io/kueue/kueue:v0.19.2`; the rest goes by tag."""


class Profile(Section):
    """A GPU cluster."""

    name: DnsLabel
    """The cluster; also its identity for the provider, so that a new kubeconfig does not replace everything."""
    platform: PlatformName
    """The Kubernetes distribution or managed service."""
    node_os: NodeOs = "ubuntu"
    """Image of the GPU nodes."""
    kubernetes_version: MinorVersion
    """Minor version of the control plane, such as "1.35"."""
    context: str = Field(min_length=1)
    """Kubeconfig context; with any other current context nothing is deployed."""
    version_set: SetName | None = Field(default=None, alias="set")
    """The version set that is installed; absent: the newest of this Bedplate. A `version` or `image` in a section
    stays as it is."""
    upgrade: OnTheWay | None = None
    charts: Charts | None = None
    images: Images | None = None
    cluster_network: ClusterNetwork = ClusterNetwork()
    driver_owner: DriverOwner
    """Who installs the GPU driver: the GPU Operator, the node image, or the cloud."""
    gpu_direct: Literal["dmabuf", "peermem", "none"] = "dmabuf"
    """How NICs read GPU memory; dmabuf needs open kernel modules and kernel 5.12, peermem needs DOCA-OFED."""
    hardware: HardwareSection | None = None
    """Machines and GPUs of the site's own, which pools then name."""
    pools: tuple[Pool, ...] = Field(min_length=1)
    readiness: ReadinessSection = ReadinessSection()
    """When nodes are taken for what the pools say they are."""
    fabric: AnyFabric
    cloud: AnyCloud | None = None
    """Where the pools' nodes come from: made here (aws, gcp) or elsewhere (azure, oci); absent: nothing is known."""
    tenancy: TenancySection | None = None
    """Teams and their namespaces; the fabric's networks are made in each."""
    nfd: NodeFeatureDiscoverySection | None = None
    network_operator: NetworkOperatorSection | None = None
    efa_device_plugin: EfaDevicePluginSection | None = None
    """Who advertises the EFA interfaces; needed with `fabric.kind: efa`."""
    multus: MultusSection | None = None
    whereabouts: WhereaboutsSection | None = None
    gpu_operator: GpuOperatorSection | None = None
    existing: SiteSection | None = None
    """What the site runs itself: Multus, Whereabouts, Node Feature Discovery, a device plugin, the driver."""
    existing_device_plugin: bool = False
    """The site runs NVIDIA's device plugin or GPU Operator itself, so that `gpuOperator` stays absent."""
    dra_driver: DraDriverSection | None = None
    """ComputeDomains, which racks of GB200 and GB300 need."""
    scheduling: AnyScheduler | None = None
    """The one scheduler that admits jobs; absent: jobs start pod by pod, without queue or gang."""
    training: Training | None = None
    monitoring: AnyMonitoring | None = None
    """Metrics, alerts and dashboards: our own Prometheus, or the site's."""
    health: HealthSection | None = None
    """Who finds sick nodes and acts on them; absent: alerts by metrics alone."""
    autoscaling: AnyAutoscaling | None = None
    """What servers scale by: KEDA or prometheus-adapter."""
    serving: ServingSection | None = None
    """Model servers."""
    storage: StorageSection | None = None
    """Where datasets, checkpoints and weights live."""
    admission: AdmissionSection | None = None
    """The rules on the API server itself, for the teams' namespaces."""
    verification: VerificationSection | None = None
    """A test of the fabric that every deployment must pass."""
    extensions: tuple[AnyExtension, ...] | None = None
    """Charts and manifests of the site's own, in the order of the cluster (docs/own-parts.md)."""
    waivers: tuple[Waiver, ...] = ()
    """What is allowed here in spite of a rule: shown as waived by plan, preview and check, let through by admission."""
    acknowledged: tuple[Acknowledged, ...] = ()
    """Dangerous changes that are wanted, until they are done; `bedplate diff` says what is dangerous."""

    @model_validator(mode="before")
    @classmethod
    def _settled(cls, document: object) -> object:
        """Pools have the site's own machines in full."""
        return settled(cast("Mapping[str, Any]", document)) if isinstance(document, Mapping) else document

    @property
    def parts(self) -> tuple[AnyExtension, ...]:
        """Those of `extensions`."""
        return self.extensions or ()

    @property
    def teams(self) -> tuple[Team, ...]:
        """Those of `tenancy`."""
        return self.tenancy.teams if self.tenancy else ()

    @property
    def servers(self) -> tuple[AnyServer, ...]:
        """Those of `serving`."""
        return self.serving.servers if self.serving else ()

    @property
    def volumes(self) -> tuple[SharedVolume, ...]:
        """Those of `storage`."""
        return self.storage.volumes if self.storage else ()

    @property
    def site_runs(self) -> frozenset[str]:
        """Keys of `existing` that are there."""
        fields = type(self.existing).model_fields.items() if self.existing else ()
        return frozenset(field.alias or name for name, field in fields if getattr(self.existing, name) is not None)

    @property
    def has_nfd(self) -> bool:
        """Somebody runs Node Feature Discovery, with upstream's kinds."""
        return self.nfd is not None or "nfd" in self.site_runs

    @property
    def own_cloud(self) -> AwsCloud | GcpCloud | None:
        """The cloud in which this stack makes nodes or a cluster."""
        if isinstance(self.cloud, AwsCloud | GcpCloud) and (self.makes_cluster or any(p.capacity for p in self.pools)):
            return self.cloud
        return None

    @property
    def makes_cluster(self) -> bool:
        """This stack is the cluster's own: it makes the cluster and deploys nothing on it."""
        return isinstance(self.cloud, AwsCloud) and self.cloud.cluster.create is not None
