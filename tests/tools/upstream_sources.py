"""Whose release each file of the upstream data is of: facts about public projects, one line each."""

from typing import NamedTuple


class Source(NamedTuple):
    """A project at a release."""

    repository: str
    """On GitHub; of a project that tags no chart, the repository of the packed ones."""
    tag: str
    stems: tuple[str, ...]
    """Folders of `crds/` and files of `values/` that are its."""

    def address(self, host: str) -> str:
        """Of its source, or of the packed chart."""
        if self.repository.startswith("https://"):
            return f"{self.repository}/{self.stems[0]}.tgz"
        return f"{host}/{self.repository}/archive/{self.tag}.tar.gz"

    def holds(self, path: str) -> bool:
        """Whether a file of the data is this project's."""
        return path.split("/")[1].removesuffix(".yaml") in self.stems


def same(repository: str, chart: str, *versions: str, tag: str = "{}") -> tuple[Source, ...]:
    """Releases that a chart and its source share."""
    return tuple(Source(repository, tag.format(version), (f"{chart}-{version}",)) for version in versions)


SOURCES = (
    *same("NVIDIA/gpu-operator", "gpu-operator", "v24.9.2", "v25.3.4", "v25.10.1", "v26.3.3", "v26.7.0"),
    *same("Mellanox/network-operator", "network-operator", "24.7.0", "26.4.1", tag="v{}"),
    Source("Mellanox/nvidia-k8s-ipam", "v0.4.1", ("network-operator-26.4.1",)),
    *same("kubernetes-sigs/node-feature-discovery", "node-feature-discovery", "0.19.0", tag="v{}"),
    *same("kubernetes-sigs/kueue", "kueue", "0.19.2", tag="v{}"),
    *same("kubernetes-sigs/jobset", "jobset", "0.12.0", tag="v{}"),
    *same("kubernetes-sigs/lws", "lws", "0.10.0", tag="v{}"),
    *same("kubeflow/trainer", "kubeflow-trainer", "2.3.0", tag="v{}"),
    *same("kubeflow/training-operator", "training-operator", "1.9.4", tag="v{}"),
    *same("kubeflow/mpi-operator", "mpi-operator", "0.8.2", tag="v{}"),
    *same("volcano-sh/volcano", "volcano", "1.15.1", tag="v{}"),
    *same("kai-scheduler/KAI-Scheduler", "kai-scheduler", "0.17.0", tag="v{}"),
    Source("ray-project/kuberay", "v1.7.0", ("kuberay-1.7.0", "kuberay-operator-1.7.0")),
    *same("kedacore/charts", "keda", "2.20.2", tag="v{}"),
    *same("prometheus-community/helm-charts", "prometheus-operator-crds", "31.0.1", tag="prometheus-operator-crds-{}"),
    *same("prometheus-community/helm-charts", "prometheus-adapter", "5.3.0", tag="prometheus-adapter-{}"),
    *same("NVIDIA/dcgm-exporter", "dcgm-exporter", "4.8.2", tag="4.5.3-{}"),
    *same("NVIDIA/k8s-device-plugin", "nvidia-device-plugin", "0.20.0", tag="v{}"),
    *same("https://aws.github.io/eks-charts", "aws-efa-k8s-device-plugin", "v0.5.30"),
    *same("kubernetes-sigs/aws-fsx-csi-driver", "aws-fsx-csi-driver", "1.17.0", tag="helm-chart-aws-fsx-csi-driver-{}"),
    *same("DDNStorage/exa-csi-driver", "exa-csi", "2.9.0"),
    *same("HewlettPackard/lustre-csi-driver", "hpe-lustre-csi-driver", "0.0.3", tag="v{}"),
    *same("GoogleCloudPlatform/lustre-csi-driver", "gcp-lustre-csi-driver", "0.1.4", tag="v{}"),
    Source("k8snetworkplumbingwg/multus-cni", "v4.3.0", ("network-attachment-definitions-4.3.0",)),
    Source("k8snetworkplumbingwg/whereabouts", "v0.9.4", ("whereabouts-0.9.4", "whereabouts-chart-0.9.4")),
    *same("k8snetworkplumbingwg/sriov-network-operator", "sriov-network-operator", "1.6.0", tag="v{}"),
    *same("vllm-project/production-stack", "vllm-stack", "0.1.12", tag="vllm-stack-{}"),
)
