"""What a team's pod may take from the node it runs on: CEL over pods and over every template that makes them.

The `baseline` Pod Security level, with the one exception that RDMA needs (IPC_LOCK, where the team uses the fabric),
and with what that level leaves open: who places the pod, how urgent it is, and which devices its runtime hands it.
"""

from collections.abc import Collection, Iterable, Iterator

from bedplate.components.facts import Facts
from bedplate.components.tenancy.daemons import FIRST, LATER, asks_for, daemon_limits, daemon_names
from bedplate.components.tenancy.guards import MARKS, Limit, not_theirs, texts
from bedplate.components.workload.extras import Extras
from bedplate.components.workload.templates import each_spec

CAPABILITIES = (
    *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"),
    *("SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
)
"""Those of the `baseline` level (Kubernetes, Pod Security Standards)."""
VOLUMES = (
    *("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral"),
    *("image", "persistentVolumeClaim", "projected", "secret"),
)
"""Kinds of volume that are not the node's own (the `restricted` level's, and images)."""
INLINE = ("secrets-store.csi.k8s.io", "spiffe.csi.cert-manager.io", "csi.spiffe.io", "gcsfuse.csi.storage.gke.io")
"""Drivers whose inline volumes hold what the pod's own service account may have. cert-manager's csi-driver is none: it
asks with its own rights for any name of any ClusterIssuer, unless it is installed with `useTokenRequest`."""
SYSCTLS = (
    *("kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_local_reserved_ports"),
    *("net.ipv4.ip_unprivileged_port_start", "net.ipv4.ping_group_range", "net.ipv4.tcp_fin_timeout"),
    *("net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_keepalive_time"),
    *("net.ipv4.tcp_rmem", "net.ipv4.tcp_syncookies", "net.ipv4.tcp_wmem"),
)
"""Those of the `baseline` level: they reach no further than the pod."""
SELINUX = ("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t")
EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"
ALL = f"($s.containers + {FIRST} + {LATER})"
OWN = "has(c.securityContext)"


def node_limits(facts: Facts, node: Collection[Extras], drivers: Collection[str] = ()) -> Iterator[Limit]:
    """All of them, for one cluster, and for what the fabric of each pool takes from the node."""
    names, gpus = daemon_names(node), sorted({pool.resource for pool in facts.fabric_pools})
    yield from daemon_limits(node, gpus)  # by whose name the rest may know it
    yield from _privileges(facts, names)
    yield from _folders(facts, node, names)
    inline = f"$s.volumes.all(v, !has(v.csi) || v.csi.driver in {texts((*INLINE, *drivers))})"
    yield Limit(
        each_spec(f"!has($s.volumes) || {inline}"),
        "A CSI volume written in the pod may be of any share: mount a claim (tenancy.inlineDrivers names others).",
    )
    if folders := {path: None for extra in node for path in extra.devices.values()}:
        yield Limit(
            each_spec(f"{ALL}.all(c, {_mounts(f'!{_from(folders)}')}) || {asks_for(gpus)}"),
            f"The devices in {' and '.join(folders)} go with GPUs, which wait in the team's queue: ask for some.",
        )
    counted = dict.fromkeys(name for pool in facts.pools for name in pool.gpu_resources)
    yield Limit(
        each_spec(f"!has($s.resourceClaims) || size($s.resourceClaims) == 0 || {asks_for(counted)}"),
        "A claim of devices goes with GPUs, which wait in the team's queue: ask for some. (A channel of IMEX takes a "
        "node for one team alone.)",
    )
    yield from _placement(facts)


def _privileges(facts: Facts, daemons: Collection[str]) -> Iterator[Limit]:
    yield Limit(
        each_spec(" && ".join(_off(f"$s.{field}") for field in ("hostNetwork", "hostPID", "hostIPC"))),
        "hostNetwork, hostPID and hostIPC are the node's own: remove them, pods reach each other without.",
    )
    yield Limit(
        _containers(f"!{OWN} || {_off('c.securityContext.privileged')}"),
        "A privileged container is root on the node: remove `privileged`; RDMA needs the capability IPC_LOCK alone.",
    )
    locking = [team.name for team in facts.teams if team.rdma]
    adds = f"{OWN} && has(c.securityContext.capabilities) && has(c.securityContext.capabilities.add)"
    mine = f"a in {texts(CAPABILITIES)} || (a == 'IPC_LOCK' && request.namespace in {texts(locking)})"
    yield Limit(
        _containers(f"!({adds}) || c.securityContext.capabilities.add.all(a, {mine})", daemons),
        "A capability beyond the runtime's own: add IPC_LOCK alone, and that only where the team uses RDMA.",
    )
    yield Limit(
        _containers("!has(c.ports) || c.ports.all(p, !has(p.hostPort) || p.hostPort == 0)"),
        "A hostPort is the node's: use a Service.",
    )
    probes = [f"c.{probe}" for probe in ("livenessProbe", "readinessProbe", "startupProbe")]
    hooks = [f"c.lifecycle.{hook}" for hook in ("postStart", "preStop")]
    asked = [*map(_elsewhere, probes), *(f"(has(c.lifecycle) && {_elsewhere(hook)})" for hook in hooks)]
    yield Limit(
        _containers(f"!({' || '.join(asked)})"),
        "The kubelet asks the container alone, no other address of the node's: remove `host` of probe or hook.",
    )
    yield from _confinement()


def _confinement() -> Iterator[Limit]:
    """What the kernel and the runtime keep a container within."""
    kept = [f"(!has($.{profile}) || $.{profile}.type != 'Unconfined')" for profile in PROFILES]
    yield Limit(
        _contexts(" && ".join(kept)) + f" && variables.templates.all(t, {BETA})",
        "Seccomp and AppArmor stay on: remove the profile `Unconfined`.",
    )
    labels = f"(!has($.seLinuxOptions) || ({_selinux('$.seLinuxOptions')}))"
    yield Limit(_contexts(labels), "SELinux keeps containers apart: remove user, role and any foreign type.")
    yield Limit(
        _containers(f"!{OWN} || !has(c.securityContext.procMount) || c.securityContext.procMount == 'Default'"),
        "/proc is masked in containers: remove procMount.",
    )
    settings = f"$.sysctls.all(o, o.name in {texts(SYSCTLS)})"
    yield Limit(
        each_spec(f"!has($s.securityContext) || !has($s.securityContext.sysctls) || {_at(settings)}"),
        "A sysctl that reaches beyond the pod: remove it.",
    )
    windows = "(!has($.windowsOptions) || !has($.windowsOptions.hostProcess) || !$.windowsOptions.hostProcess)"
    yield Limit(_contexts(windows), "A hostProcess is the node's own: remove it.")


PROFILES = ("seccompProfile", "appArmorProfile")
BETA_KEY = "container.apparmor.security.beta.kubernetes.io/"
MARK = MARKS.format("t")
BETA = f"{MARK}.all(k, !k.startsWith('{BETA_KEY}') || {MARK}[k] != 'unconfined')"


def _folders(facts: Facts, node: Collection[Extras], daemons: Collection[str]) -> Iterator[Limit]:
    """Exact paths: below a folder that teams may write, a link of theirs could lead anywhere on the node."""
    own = [facts.cache_folder] if facts.cache_folder else []
    shown = {path: None for extra in node for path in extra.host_paths.values()}
    guarded = {path: None for extra in node for path in extra.volumes.values() if path not in shown}
    allowed = [*own, *shown, *guarded]
    kinds = " || ".join(f"has(v.{kind})" for kind in VOLUMES)
    known = f"has(v.hostPath) && v.hostPath.path in {texts(allowed)}"
    yield Limit(
        each_spec(f"!has($s.volumes) || $s.volumes.all(v, {kinds} || ({known}))"),
        f"A folder of the node is not the team's: mount a claim, or {' or '.join(own) or 'an emptyDir'}.",
    )
    if libraries := {path: None for extra in node for path in extra.libraries.values()}:
        yield Limit(
            _containers(_mounts(f"(has(m.readOnly) && m.readOnly) || !{_from(libraries)}")),
            f"The whole node runs what is in {' and '.join(libraries)}: mount it with readOnly: true.",
        )
    if guarded:
        yield Limit(
            _containers(_mounts(f"!{_from(guarded)}"), daemons),
            "These folders of the node are for the fabric's own daemon: run it as the workload contract has it.",
        )


def _mounts(condition: str) -> str:
    return f"!has(c.volumeMounts) || !has($s.volumes) || c.volumeMounts.all(m, {condition})"


def _from(folders: Iterable[str]) -> str:
    """Mount `m` is of one of these folders of the node."""
    return f"$s.volumes.exists(v, v.name == m.name && has(v.hostPath) && v.hostPath.path in {texts(folders)})"


def _placement(facts: Facts) -> Iterator[Limit]:
    yield Limit(
        f"(object.kind == 'Pod' && request.operation == 'UPDATE') || {each_spec(_none('$s.nodeName'))}",
        "nodeName skips the scheduler, its queue and its count of GPUs: use nodeSelector.",
    )
    schedulers = ["", "default-scheduler", *([facts.scheduler.name] if facts.scheduler.name else [])]
    yield Limit(
        each_spec(f"!has($s.schedulerName) || $s.schedulerName in {texts(schedulers)}"),
        f"A scheduler that is not this cluster's: use {facts.scheduler.name or 'none'}.",
    )
    yield from _apart()
    classes = ["", *facts.priority_classes]
    yield Limit(
        each_spec(f"!has($s.priorityClassName) || $s.priorityClassName in {texts(classes)}"),
        not_theirs(facts.priority_classes),
    )
    yield Limit(
        each_spec("!has($s.runtimeClassName) || !$s.runtimeClassName.startsWith('nvidia')"),
        "NVIDIA's runtime class hands out GPUs by an environment variable: remove it, and ask for nvidia.com/gpu.",
    )


def _apart() -> Iterator[Limit]:
    """The scheduler keeps other pods off wherever one runs that wants to be apart from them, whoever wrote that.

    A small pod would keep every team off a node, or off all that share some label (Kubernetes, "Resource Quotas",
    CrossNamespacePodAffinity). JobSet's webhook writes the same for jobs that ask for a domain of their own
    (kubernetes-sigs/jobset@v0.12.0, pkg/webhooks/pod_webhook.go `setExclusiveAffinities`). A wish to be near
    others keeps nobody off, and servers have it (components/serving/packing.py).
    """
    own = "!has(a.namespaceSelector) && (!has(a.namespaces) || a.namespaces.all(n, n == request.namespace))"
    during = "DuringSchedulingIgnoredDuringExecution"
    hard = [f"$s.affinity.{way}" for way in ("podAffinity", "podAntiAffinity")]
    soft = f"$s.affinity.podAntiAffinity.preferred{during}"
    kept = [f"(!has({way}) || !has({way}.required{during}) || {way}.required{during}.all(a, {own}))" for way in hard]
    kept.append(f"(!has({hard[1]}) || !has({soft}) || {soft}.all(p, [p.podAffinityTerm].all(a, {own})))")
    yield Limit(
        each_spec(f"!has($s.affinity) || ({' && '.join(kept)})"),
        "An affinity with pods of other namespaces keeps other teams off nodes: remove namespaceSelector, namespaces "
        f"and {EXCLUSIVE}.",
    )
    yield Limit(
        f"!('{EXCLUSIVE}' in {MARKS.format('object')}) && (object.kind != 'JobSet' || object.spec.replicatedJobs.all("
        f"r, !('{EXCLUSIVE}' in {MARKS.format('r.template')})))",
        f"{EXCLUSIVE} keeps other teams' jobs off nodes: remove it, the queue gives whole nodes and domains.",
    )


def _off(field: str) -> str:
    return f"(!has({field}) || !{field})"


def _elsewhere(handler: str) -> str:
    """What `baseline` forbids since 1.34 (pod-security-admission, check_hostProbesAndhostLifecycle.go)."""
    ways = [f"{handler}.{way}" for way in ("httpGet", "tcpSocket")]
    named = " || ".join(f"(has({way}) && has({way}.host) && {way}.host != '')" for way in ways)
    return f"(has({handler}) && ({named}))"


def _none(field: str) -> str:
    return f"!has({field}) || {field} == ''"


def _containers(condition: str, daemons: Collection[str] = ()) -> str:
    """For every container `c` of any kind, but those of these names."""
    named = f"c.name in {texts(daemons)} || " if daemons else ""
    return each_spec(f"{ALL}.all(c, {named}({condition}))")


def _at(condition: str, owner: str = "$s") -> str:
    return condition.replace("$.", f"{owner}.securityContext.")


def _contexts(condition: str) -> str:
    """For the security context of the pod and of each container, written `$`."""
    pod = each_spec(f"!has($s.securityContext) || {_at(condition)}")
    each = _containers(f"!{OWN} || {_at(condition, 'c')}")
    return f"{pod} && {each}"


def _selinux(options: str) -> str:
    named = " && ".join(f"({_none(f'{options}.{field}')})" for field in ("user", "role"))
    return f"{named} && (!has({options}.type) || {options}.type in {texts(SELINUX)})"
