"""One simulated cluster: real etcd, API server, controllers and scheduler, nodes and kubelets played by KWOK.

`kwokctl` starts and stops the processes; this module only says how: on loopback, with authorization and admission, and
in a folder of its own. It does not know what runs on the cluster.
"""

import json
import os
import select
import shutil
import signal
import subprocess
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from bedplate.cluster.objects import bundle
from bedplate.lab import stages
from bedplate.lab.binaries import LabError, alone, home
from bedplate.lab.control_plane import configuration, schedulers

DEFAULT = "bedplate-lab"
"""Its context, kwok-bedplate-lab, is the one that `stacks/Pulumi.lab.yaml` may be deployed to."""
COMPONENTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok-controller")


@dataclass(frozen=True)
class Cluster:
    """A lab cluster by name; several can run side by side, each on free ports."""

    name: str = DEFAULT
    binaries: Mapping[str, Path] = field(default_factory=dict[str, Path])
    """Path by name; what is absent is kwokctl's to download."""
    features: tuple[str, ...] = ()
    """Alpha features of Kubernetes to switch on, their APIs with them."""
    real: tuple[str, ...] = ()
    """Controllers that will really run here, so that nobody plays their part; counts when it is made."""

    def command(self, verb: str) -> str:
        """What somebody types to do something with this one."""
        return f"bedplate lab {'' if self.name == DEFAULT else f'--name {self.name} '}{verb}"

    @property
    def context(self) -> str:
        """The kubeconfig context that a profile names to be allowed on this cluster."""
        return f"kwok-{self.name}"

    @property
    def folder(self) -> Path:
        """Everything of the running cluster: data, certificates, logs, process ids."""
        return _workdir() / "clusters" / self.name

    @property
    def controllers(self) -> Path:
        """Of the real controllers, a folder for each process."""
        return self.folder / "controllers"

    @property
    def unplayed(self) -> tuple[str, ...]:
        """Controllers whose part nobody plays, as it was made."""
        kept = self.controllers / "real"
        return tuple(kept.read_text().split()) if kept.exists() else ()

    @property
    def kubeconfig(self) -> Path:
        """The admin kubeconfig; the user's own is never touched."""
        return self.folder / "kubeconfig.yaml"

    @property
    def kubectl_command(self) -> tuple[str, ...]:
        """kubectl, bound to this cluster, with its cache in the cluster's own folder."""
        kubectl = self.binaries.get("kubectl") or shutil.which("kubectl") or self.folder / "bin" / "kubectl"
        return (str(kubectl), "--kubeconfig", str(self.kubeconfig), "--cache-dir", str(self.folder / "discovery"))

    @property
    def authority(self) -> str:
        """The certificate that signed the API server's, in base64."""
        return b64encode((self.folder / "pki" / "ca.crt").read_bytes()).decode()

    def start(self) -> None:
        """Bring the control plane up and teach it to play the operators; doing so twice changes nothing."""
        with alone("start"):
            if (self.folder / "kwok.yaml").exists():
                self._start_dead()
            else:
                self._create()
            if set(COMPONENTS) - self.processes().keys():
                self._start_dead()  # controllers give the API server ten seconds, which a busy machine exceeds
            self.apply(stages.load(self.unplayed, self.authority))
        self.check()
        self._wait_until_played()

    def _wait_until_played(self) -> None:
        """Until webhooks are opened, also those from before a restart: one that nobody answers refuses every write.

        The probes are webhooks for nothing: once they are opened, whoever opens them is at work.
        """
        probes = list(stages.probes())
        self.apply(probes)
        for probe in probes:
            # A Stage opens all webhooks of a configuration at once.
            opened = "jsonpath={.webhooks[0].failurePolicy}=Ignore"
            self.kubectl("wait", *self._of_services(probe["kind"]), f"--for={opened}", "--timeout=60s")
        self.kubectl("delete", "-f", "-", stdin=yaml.safe_dump_all(probes))

    def _of_services(self, kind: str) -> list[str]:
        """Webhooks that name a Service, which no pod answers; real controllers' are named by URL."""
        configurations = json.loads(self.kubectl("get", kind, "--output=json"))["items"]
        hooks = (
            (configuration["metadata"]["name"], hook)
            for configuration in configurations
            for hook in configuration.get("webhooks", [])
        )
        return sorted({f"{kind}/{name}" for name, hook in hooks if "service" in hook["clientConfig"]})

    def _start_dead(self) -> None:
        self._forget_dead()
        self._kwokctl("start", "cluster", "--wait", "120s")

    def _forget_dead(self) -> None:
        """Kwokctl takes a process that nobody has reaped yet for a running one, and would not start it again."""
        for path in (self.folder / "pids").glob("*.pid"):
            if path.stem not in self.processes():
                path.unlink()

    def _create(self) -> None:
        _workdir().mkdir(parents=True, exist_ok=True)
        config, names = (_workdir() / f"{self.name}{part}.yaml" for part in ("", "-schedulers"))
        names.write_text(yaml.safe_dump(schedulers(self.real)))
        config.write_text(yaml.safe_dump(configuration(self.binaries, self.features, names)))
        try:
            self._kwokctl("--config", str(config), "create", "cluster", "--kubeconfig", "", "--wait", "120s")
        finally:
            config.unlink()
            names.unlink()
        if self.real:
            self.controllers.mkdir()
            (self.controllers / "real").write_text(" ".join(self.real))

    def check(self) -> None:
        """Every process runs, or an error names the one that does not and shows its last words."""
        for component in sorted(set(COMPONENTS) - self.processes().keys()):
            log = self.folder / "logs" / f"{component}.log"
            last = complaint(log.read_text()) if log.exists() else "it never started"
            raise LabError(f"{component} of lab {self.name} does not run: {last.splitlines()[-1]}")

    def stop(self) -> None:
        """Take everything away: processes, data, and the folder itself."""
        if self.folder.exists():
            # A handle per process, taken while they live: kwokctl kills them but does not wait for their end.
            ends = [os.pidfd_open(pid) for pid in self.processes().values()]
            for name, pid in self.processes().items():
                if name not in COMPONENTS:  # kwokctl knows nothing of the controllers
                    os.kill(pid, signal.SIGKILL)
            self._kwokctl("delete", "cluster", "--kubeconfig", str(self.folder / "unused"))
            _wait(ends)
            shutil.rmtree(self.folder, ignore_errors=True)
        for empty in (_workdir() / "clusters", _workdir()):
            if empty.exists() and not any(empty.iterdir()):
                empty.rmdir()

    def processes(self) -> dict[str, int]:
        """Process id by component, of those that are alive."""
        pids = {path.stem: int(path.read_text()) for path in sorted((self.folder / "pids").glob("*.pid"))}
        return {name: pid for name, pid in pids.items() if alive(pid)}

    def kubectl(self, *arguments: str, stdin: str | None = None) -> str:
        """Run kubectl as admin on this cluster and return what it prints."""
        return run([*self.kubectl_command, *arguments], stdin=stdin)

    def create(self, objects: Sequence[Mapping[str, Any]], validate: str = "strict") -> str:
        """Create what is not there yet: three times as fast as `apply` for thousands of objects."""
        return self.kubectl("create", f"--validate={validate}", "-f", "-", stdin=bundle(objects))

    def apply(self, objects: Iterable[Mapping[str, Any]], *options: str) -> str:
        """Server-side apply with strict field validation: an unknown field is an error."""
        manifests = yaml.dump_all(objects, Dumper=yaml.CSafeDumper)
        flags = ("--server-side", "--validate=strict", "--force-conflicts", "--field-manager=lab", *options)
        return self.kubectl("apply", *flags, "-f", "-", stdin=manifests)

    def _kwokctl(self, *arguments: str) -> str:
        kwokctl = self.binaries.get("kwokctl") or shutil.which("kwokctl")
        if kwokctl is None:
            raise LabError("there is no `kwokctl` on the PATH: install it, or leave out --download to build it")
        path = os.pathsep.join([*({str(binary.parent) for binary in self.binaries.values()}), os.environ["PATH"]])
        environment = {**os.environ, "KWOK_WORKDIR": str(_workdir()), "PATH": path}
        return run([str(kwokctl), "--name", self.name, *arguments], environment)


def alive(pid: int) -> bool:
    """Whether a process does anything still; one that only waits to be reaped does not."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def _wait(ends: Iterable[int], seconds: float = 10) -> None:
    for end in ends:
        select.select([end], [], [], seconds)
        os.close(end)


def _workdir() -> Path:
    return home() / "run"


def run(command: Sequence[str], environment: Mapping[str, str] | None = None, stdin: str | None = None) -> str:
    """Run a command; its complaint becomes the error, whole."""
    done = subprocess.run(command, env=environment, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(complaint(done.stderr or done.stdout) or f"{command[0]} failed with {done.returncode}")
    return done.stdout


def complaint(output: str) -> str:
    """What went wrong, without the rest of the log record that kwokctl wraps it in."""
    lines = output.strip().splitlines()
    if lines and lines[-1].startswith("{"):
        record = json.loads(lines[-1])
        return f"{record.get('msg')}: {record.get('err')}"
    return "\n".join(lines)
