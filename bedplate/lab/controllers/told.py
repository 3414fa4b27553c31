"""What the lab tells a controller that its Deployment does not: loopback, no leader, certificates in place."""

from typing import Any

from bedplate.lab.control_plane import LOOPBACK
from bedplate.lab.controllers.real import CERTIFICATES, KUBECONFIG, Ports


def identity(_: Ports) -> dict[str, str]:
    """A flag for who cannot do without."""
    return {"--kubeconfig": KUBECONFIG}


def manager(ports: Ports) -> dict[str, Any]:
    """What controllers on controller-runtime have in common; certificates are the lab's."""
    return {
        "health": {"healthProbeBindAddress": ports.at("health")},
        "metrics": {"bindAddress": ports.at("metrics")},
        "webhook": {"host": LOOPBACK, "port": ports.webhook},
        "leaderElection": {"leaderElect": False},
    }


def with_certificates(ports: Ports) -> dict[str, Any]:
    """And of those that look for certificates at a path of their own."""
    common = manager(ports)
    webhook = {**common["webhook"], "certDir": CERTIFICATES}
    return {**common, "webhook": webhook, "internalCertManagement": {"enable": False}}


def kueue(ports: Ports) -> dict[str, Any]:
    """Its API of pending workloads listens as well."""
    return {**with_certificates(ports), "visibilityServer": {"bindAddress": LOOPBACK, "bindPort": ports.other}}


def jobset(ports: Ports) -> dict[str, Any]:
    """Its metrics have a certificate of their own."""
    return {
        **with_certificates(ports),
        "metrics": {"bindAddress": ports.at("metrics"), "certDir": CERTIFICATES},
    }


def trainer(ports: Ports) -> dict[str, Any]:
    """It makes its certificates unless it is told."""
    return {**manager(ports), "certManagement": {"enable": False}}


def training_operator(ports: Ports) -> dict[str, str]:
    """It knows flags alone."""
    return {
        "--metrics-bind-address": ports.at("metrics"),
        "--health-probe-bind-address": ports.at("health"),
        "--webhook-server-port": str(ports.webhook),
    }


def volcano(ports: Ports) -> dict[str, str]:
    """Scheduler and controllers."""
    addresses = {"--listen-address": ports.at("metrics"), "--healthz-address": ports.at("health")}
    return {"--kubeconfig": KUBECONFIG, "--leader-elect": "false", **addresses}


def volcano_admission(ports: Ports) -> dict[str, str]:
    """It takes address and port apart."""
    address = {"--listen-address": LOOPBACK, "--port": str(ports.webhook), "--healthz-address": ports.at("health")}
    return {"--kubeconfig": KUBECONFIG, **address}
