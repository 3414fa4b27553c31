"""The order a cluster is built in, readable top to bottom, and the one loop that builds it."""

from typing import Any, cast

import pulumi

from bedplate.components.cloud.gcp import driver_installer
from bedplate.components.existing import Existing
from bedplate.components.facts import Args
from bedplate.components.network import (
    attachments,
    efa_device_plugin,
    gpudirect_installer,
    ip_pools,
    multus,
    whereabouts,
)
from bedplate.components.nodes import feature_discovery, pool_labels
from bedplate.components.observability import (
    alert_rules,
    dcgm_exporter,
    google_monitors,
    keda,
    prometheus_adapter,
    prometheus_crds,
    prometheus_stack,
    queue_monitors,
)
from bedplate.components.observability.grafana_dashboards import Dashboards
from bedplate.components.operators import (
    dra_driver,
    gpu_operator,
    network_operator,
    nic_cluster_policy,
    nic_configuration,
)
from bedplate.components.scheduling import kai, kai_queues, kueue, kueue_queues, volcano, volcano_queues
from bedplate.components.serving import servers
from bedplate.components.storage import drivers, volumes
from bedplate.components.tenancy import (
    access,
    confinement,
    isolation,
    leaving,
    limits,
    priorities,
    security_contexts,
    teams,
)
from bedplate.components.training import (
    jobset,
    kuberay,
    leader_worker_set,
    mpi_operator,
    runtimes,
    trainer,
    training_operator,
    workload_contract,
)
from bedplate.components.verification import admission, nccl, pools
from bedplate.stacks.facts import sections
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.facts.step import Step
from bedplate.stacks.profile.cloud import cloud_nodes
from bedplate.stacks.profile.profile import Profile

# A step names only steps above it, so this table cannot hold a cycle. A step that waits for nobody waits for the nodes.

# Nodes, people, and the kinds that monitors are made of: whoever makes a ServiceMonitor waits for PROMETHEUS_CRDS.
NODES = Step("nodes", cloud_nodes, lambda p, _: p.own_cloud)
EXISTING = Step("existing", Existing, sections.existing)
PROMETHEUS_CRDS = Step("prometheus-crds", prometheus_crds.PrometheusCrds, sections.prometheus_crds, after=(EXISTING,))
PRIORITIES = Step("priorities", priorities.Priorities, lambda p, _: p.tenancy)
TEAMS = Step("teams", teams.Teams, sections.teams)
LIMITS = Step("team-limits", limits.TeamLimits, sections.teams, after=(TEAMS,))
CONFINEMENT = Step("team-confinement", confinement.Confinement, sections.teams, after=(TEAMS,))
ACCESS = Step("team-access", access.TeamAccess, sections.teams, after=(CONFINEMENT,))  # nobody comes in before it
ISOLATION = Step("team-isolation", isolation.TeamIsolation, sections.teams, after=(TEAMS,))
SECURITY_CONTEXTS = Step(
    "security-contexts", security_contexts.SecurityContexts, sections.security_contexts, after=(TEAMS,)
)
CONTRACT = Step("workload-contract", workload_contract.WorkloadContract, sections.teams_with_gpus, after=(TEAMS,))
ADMISSION = Step("admission", admission.Admission, sections.admission, after=(TEAMS,))

# The operator core: labels, NICs, GPUs, and the networks between them.
NFD_KINDS = Step("nfd-kinds", feature_discovery.NodeFeatureKinds, lambda p, _: p.nfd)
NFD = Step("nfd", feature_discovery.NodeFeatureDiscovery, lambda p, _: p.nfd, after=(NFD_KINDS,))
POOL_LABELS = Step("pool-labels", pool_labels.PoolLabels, sections.sliced, after=(NFD,))
NETWORK_OPERATOR = Step(
    "network-operator", network_operator.NetworkOperator, lambda p, _: p.network_operator, after=(NFD_KINDS,)
)
NICS_READY = Step(
    "nics",
    nic_cluster_policy.NicClusterPolicy,
    lambda p, _: p.network_operator,
    after=(NETWORK_OPERATOR, NFD, POOL_LABELS),
)
NIC_FIRMWARE = Step("nic-configuration", nic_configuration.NicConfiguration, sections.nic_settings, after=(NICS_READY,))
EFA_DEVICE_PLUGIN = Step("efa-device-plugin", efa_device_plugin.EfaDevicePlugin, lambda p, _: p.efa_device_plugin)
GPUDIRECT = Step("gpudirect", gpudirect_installer.GpuDirectInstaller, sections.gpudirect)
MULTUS = Step("multus", multus.Multus, lambda p, _: p.multus)
WHEREABOUTS = Step("whereabouts", whereabouts.Whereabouts, lambda p, _: p.whereabouts)
IP_POOLS = Step("ip-pools", ip_pools.IpPools, sections.pools_of_addresses, after=(NICS_READY,))
GKE_DRIVER = Step("gke-driver", driver_installer.GkeDriver, sections.gke_driver)
GPU_OPERATOR = Step(
    "gpu-operator",
    gpu_operator.GpuOperator,
    lambda p, _: p.gpu_operator,
    after=(PROMETHEUS_CRDS, NICS_READY, POOL_LABELS, GKE_DRIVER),
)
GPUS_READY = Step("gpus", gpu_operator.GpuReady, lambda p, _: p.gpu_operator, after=(GPU_OPERATOR,))
DRA_DRIVER = Step("dra-driver", dra_driver.DraDriver, lambda p, _: p.dra_driver, after=(GPUS_READY,))
COMPUTE_DOMAINS = Step("compute-domains", dra_driver.ComputeDomains, sections.racks, after=(TEAMS, DRA_DRIVER))
POOLS_READY = Step(
    "pools", pools.PoolsReady, sections.devices, after=(NIC_FIRMWARE, GPUS_READY, EFA_DEVICE_PLUGIN, GPUDIRECT)
)
# Where this is skipped its neighbours still wait for the fabric: EFA and GPUDirect need no network of ours.
NETWORKS = Step(
    "networks",
    attachments.Networks,
    sections.rails,
    after=(TEAMS, MULTUS, WHEREABOUTS, IP_POOLS, POOLS_READY),
)

# Schedulers and the controllers of jobs. Kueue is the last: it watches the kinds of all the others.
VOLCANO = Step("volcano", volcano.Volcano, sections.scheduler(volcano.VolcanoSection))
VOLCANO_QUEUES = Step(
    "volcano-queues", volcano_queues.VolcanoQueues, sections.queues(volcano.VolcanoSection), after=(VOLCANO,)
)
KAI = Step("kai", kai.Kai, sections.scheduler(kai.KaiSection))
KAI_QUEUES = Step("kai-queues", kai_queues.KaiQueues, sections.queues(kai.KaiSection), after=(KAI,))
JOBSET = Step("jobset", jobset.JobSet, lambda p, _: p.training and p.training.jobset)
TRAINER = Step("trainer", trainer.Trainer, lambda p, _: p.training and p.training.trainer, after=(JOBSET,))
RUNTIMES = Step("runtimes", runtimes.Runtimes, sections.runtimes, after=(TEAMS, VOLCANO, TRAINER))
KUBERAY = Step("kuberay", kuberay.KubeRay, lambda p, _: p.training and p.training.kuberay, after=(VOLCANO, KAI))
LWS = Step(
    "leader-worker-set",
    leader_worker_set.LeaderWorkerSet,
    lambda p, _: p.training and p.training.leader_worker_set,
    after=(VOLCANO,),
)
TRAINING_OPERATOR = Step(
    "training-operator",
    training_operator.TrainingOperator,
    lambda p, _: p.training and p.training.training_operator,
    after=(VOLCANO,),  # without the PodGroup kind it exits
)
MPI_OPERATOR = Step(
    "mpi-operator",
    mpi_operator.MpiOperator,
    lambda p, _: p.training and p.training.mpi_operator,
    after=(VOLCANO,),
)
KUEUE = Step(
    "kueue",
    kueue.Kueue,
    sections.scheduler(kueue.KueueSection),
    after=(TRAINER, KUBERAY, LWS, TRAINING_OPERATOR, MPI_OPERATOR),
)
KUEUE_QUEUES = Step("kueue-queues", kueue_queues.KueueQueues, sections.queues(kueue.KueueSection), after=(TEAMS, KUEUE))
QUEUES = (VOLCANO_QUEUES, KAI_QUEUES, KUEUE_QUEUES)

# What jobs read, and what watches them.
LUSTRE = Step("lustre-csi", drivers.install, sections.lustre)
VOLUMES = Step("volumes", volumes.Volumes, sections.volumes, after=(EXISTING, TEAMS, LUSTRE))
MONITORING = Step("monitoring", prometheus_stack.PrometheusStack, sections.own_monitoring, after=(PROMETHEUS_CRDS,))
DCGM_EXPORTER = Step(
    "dcgm-exporter",
    dcgm_exporter.DcgmExporter,
    lambda p, _: p.monitoring and p.monitoring.dcgm_exporter,
    after=(PROMETHEUS_CRDS,),
)
QUEUE_MONITORS = Step(
    "queue-monitors", queue_monitors.QueueMonitors, sections.queue_monitors, after=(PROMETHEUS_CRDS, VOLCANO, KUEUE)
)
ALERTS = Step("alerts", alert_rules.AlertRules, lambda p, _: p.monitoring, after=(MONITORING,))
DASHBOARDS = Step("dashboards", Dashboards, sections.dashboards, after=(MONITORING,))
KEDA = Step("keda", keda.Keda, sections.autoscaling(keda.KedaSection), after=(PROMETHEUS_CRDS,))
GOOGLE_MONITORS = Step(
    "google-monitors",
    google_monitors.GoogleMonitors,
    sections.google_monitors,
    after=(EXISTING, GPU_OPERATOR, VOLCANO, KUEUE, KEDA),
)
PROMETHEUS_ADAPTER = Step(
    "prometheus-adapter",
    prometheus_adapter.PrometheusAdapter,
    sections.autoscaling(prometheus_adapter.PrometheusAdapterSection),
    after=(MONITORING,),
)

# Comes up with nobody waiting, and goes first: what teams have made needs its controllers to go.
TEAMS_LEAVE = Step(
    "team-leaving",
    leaving.TeamsLeave,
    sections.teams,
    after=(*QUEUES, KEDA),  # and by them after all controllers
)

# What runs on all of it. Verification comes last: a failed test leaves a whole cluster to look at.
SERVING = Step(
    "serving",
    servers.Servers,
    lambda p, _: p.serving,
    after=(
        PRIORITIES,
        LIMITS,
        NETWORKS,
        COMPUTE_DOMAINS,
        *QUEUES,
        TEAMS_LEAVE,
        VOLUMES,
        MONITORING,
        GOOGLE_MONITORS,
        PROMETHEUS_ADAPTER,
    ),
)
VERIFICATION = Step(
    "verification",
    nccl.NcclVerification,
    sections.proof,
    after=(NETWORKS, COMPUTE_DOMAINS, PRIORITIES, TEAMS_LEAVE, *QUEUES),
)

PLATFORM = tuple(cast("Step[Any]", step) for step in list[object](vars().values()) if isinstance(step, Step))
"""Every step above, in the order it stands there."""


def deploy(profile: Profile, providers: list[pulumi.ProviderResource]) -> str | None:
    """Build what the profile asks for, each component after those it waits for; the workload contract's name."""
    known = facts(profile)
    built: dict[Step[Any], pulumi.Resource] = {}
    for step in PLATFORM:
        if (section := step.section(profile, known)) is None:
            continue  # absent: never an empty component, which would cut the chain (pulumi/pulumi#8721)
        # A skipped step still orders its neighbours, hence ancestors and not only `after`.
        before = [earlier for earlier in dict.fromkeys(step.ancestors()) if earlier in built] or [NODES]
        waits_for = [built[earlier] for earlier in before if earlier in built]
        opts = pulumi.ResourceOptions(providers=providers, depends_on=waits_for, aliases=list(step.formerly))
        built[step] = step.build(step.name, Args(section, known), opts)
    contract = built.get(CONTRACT)
    return contract.config_map if isinstance(contract, workload_contract.WorkloadContract) else None
