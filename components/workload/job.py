"""A job as its owner writes it: what to run, on how many GPUs, and what it needs to survive a failure.

Everything about the cluster (devices, networks, NCCL environment, queue, tolerations) is derived and cannot be said
here. What is wrong only on a given cluster is found in `stacks/jobs/checks.py`.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from bedplate.components.facts.pools import MIG_PROFILE
from bedplate.components.section import DnsLabel, Seconds, Section, Size
from bedplate.components.workload.kinds import KINDS, JobKind, Kind

WHOLE = "whole"
Words = tuple[str, ...]
AbsolutePath = Annotated[str, Field(pattern=r"^/[^:]+$")]
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Parallelism(Section):
    """How the model is cut up; the product of all four is the number of GPUs."""

    tp: PositiveInt = 1
    """Tensor parallel: GPUs that share each layer; keep it within one NVLink domain."""
    pp: PositiveInt = 1
    """Pipeline parallel: stages of layers."""
    cp: PositiveInt = 1
    """Context parallel: parts of the sequence."""
    dp: PositiveInt | None = None
    """Data parallel: replicas of the whole; by default what the other three leave."""

    @property
    def model(self) -> int:
        """GPUs that one replica of the model takes."""
        return self.tp * self.pp * self.cp


class Checkpoint(Section):
    """Where state is kept over restarts: a volume that all nodes write to at once."""

    claim: DnsLabel
    """PersistentVolumeClaim in the team's namespace; its access mode must be ReadWriteMany."""
    path: AbsolutePath = "/checkpoints"
    """Where it is mounted, and the value of CHECKPOINT_DIR."""
    size: Size | None = None
    """Make the claim with this size; absent: it is there already."""
    storage_class: DnsLabel | None = None
    """Class of the claim that is made, one whose volumes many nodes mount; `size` needs it."""
    existing: bool = False
    """The team has made the claim itself; otherwise it is one of the profile's volumes, or made here."""


class Volume(Section):
    """Another claim that every pod mounts, such as a data set."""

    claim: DnsLabel
    path: AbsolutePath
    read_only: bool = True
    existing: bool = False
    """The team has made the claim itself; otherwise it is one of the profile's volumes."""


class Elastic(Section):
    """Nodes that may come and go while the job runs; data parallel only, since nothing else can be cut anew."""

    min_nodes: PositiveInt
    """Fewer than these, and the job waits."""
    max_nodes: PositiveInt


class TopologyRequest(Section):
    """How near to each other the nodes must be, by a node label of the cluster's topology."""

    required: str | None = None
    """All pods within one domain of this level, or the job waits."""
    preferred: str | None = None
    """Within one domain of this level if they fit."""


class DeepSpeed(Section):
    """A `ds_config.json` beside the job, with batch sizes that agree with the number of GPUs."""

    micro_batch: PositiveInt
    """Samples per GPU and step."""
    accumulation: PositiveInt = 1
    """Steps between optimizer steps."""
    train_batch: PositiveInt | None = None
    """Samples per optimizer step, if you want it checked: micro batch x accumulation x GPUs."""
    zero_stage: Literal[0, 1, 2, 3] = 3
    """What is sharded: 1 optimizer states, 2 and gradients, 3 and parameters."""
    precision: Literal["bf16", "fp16"] = "bf16"
    offload: Literal["none", "cpu"] = "none"
    """Keep optimizer states, with stage 3 also parameters, in main memory."""
    gradient_clipping: float = Field(default=1.0, gt=0)


class TrainingJob(Section):
    """One job of one team."""

    name: DnsLabel
    team: DnsLabel
    """Who runs it: namespace, queue and quota."""
    kind: Kind
    """The Kubernetes object that runs it; LeaderWorkerSet is for servers only."""
    image: str = Field(min_length=1)
    """With a tag or, better, a digest."""
    script: Words = ()
    """A Python program and its arguments, started once per GPU; for a RayJob once, on the head."""
    command: Words = ()
    """Instead of `script`: what each pod runs as it stands (MPIJob: each rank); one list item per argument."""
    pool: DnsLabel | None = None
    """The node pool; by default the only one with GPUs."""
    nodes: PositiveInt = 1
    """Pods, each on a node of its own when it takes all its GPUs."""
    gpus_per_node: PositiveInt | None = None
    """By default all of a node's."""
    slice: Annotated[str, Field(pattern=rf"^({MIG_PROFILE}|{WHOLE})$")] | None = None
    """On a pool whose GPUs are cut: what each pod takes, such as 3g.40gb, or `whole` for GPUs that are not; by default
    the first kind that a node of the pool has."""
    parallelism: Parallelism | None = None
    elastic: Elastic | None = None
    max_restarts: Annotated[int, Field(ge=1, le=1000)] = 3
    """Times that the whole job may start anew after a failure of its own."""
    grace: Seconds = 120
    """Time to write a checkpoint after SIGTERM."""
    checkpoint: Checkpoint | None = None
    volumes: tuple[Volume, ...] = ()
    env: Mapping[VariableName, str] = Field(default_factory=dict)
    """Further variables; the fabric's own are set already."""
    annotations: Mapping[str, str] = Field(default_factory=dict)
    """Further annotations of the pods, such as a reason that a policy asks for."""
    cpus: PositiveInt | None = None
    """Per pod; by default its GPUs' share of the node."""
    memory_gib: PositiveInt | None = None
    """Per pod; by default its GPUs' share of the node."""
    shm_gib: PositiveInt | None = None
    """Size of /dev/shm, which counts as memory; by default 8 GiB a GPU, at least 16 where there are several."""
    priority: DnsLabel | None = None
    """A PriorityClass; by default the team's."""
    topology: TopologyRequest | None = None
    """By default the cluster's own preference."""
    deepspeed: DeepSpeed | None = None
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """LeaderWorkerSet: where the leader answers requests."""
    replicas: PositiveInt = 1
    """LeaderWorkerSet: groups of `nodes` pods."""

    @property
    def row(self) -> JobKind:
        """What is true of its kind."""
        return KINDS[self.kind]

    @property
    def fewest_nodes(self) -> int:
        """The gang: with fewer the job does not start."""
        return self.elastic.min_nodes if self.elastic else self.nodes
