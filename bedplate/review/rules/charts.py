"""Helm releases: what each chart's values do, as far as this stack writes them; any other is unknown."""

from collections.abc import Mapping

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules import gpu_operator, kueue
from bedplate.review.rules.monitoring_charts import CHARTS as MONITORING
from bedplate.review.rules.releases import HELM, ROLL, TOLERATIONS, controller, csi, rolled
from bedplate.review.rules.rule import Judge, Rule, evicts, reloads, rolls
from bedplate.review.rules.workloads import DEPLOYMENTS, PREEMPTION, TAKES

DRAINING = "k8snetworkplumbingwg/sriov-network-operator README, draining"
DISCOVERY = "node-feature-discovery docs: NodeFeature objects, extraLabelNs"
TRAINER = "Kubeflow Trainer docs: installation"


def switch(what: str, source: str) -> Judge:
    """A part of the chart that may be left out."""

    def judge(_: Change, field: Field) -> Judgement:
        return ROLL if field.new is True else evicts(f"{what} goes, and whoever waits for it with it", source)

    return judge


def labels(change: Change, field: Field) -> Judgement:
    """What lets nodes be labelled: where less of it is left, jobs find no node."""
    after = {str(other.new) for other in change.fields if other.place == field.place}
    if field.old is None or str(field.old) in after:
        return ROLL
    return evicts("nodes may lose labels: jobs that ask for them cannot start", DISCOVERY)


MODEL = "values.servingEngineSpec.modelSpec[]"


def model(change: Change, field: Field) -> Judgement:
    """A model server of the chart's: its pods start anew, and those beside the old ones take GPUs."""
    strategy = change.resource.inputs["values"].get("servingEngineSpec", {}).get("strategy", {})
    surges = strategy.get("rollingUpdate", {}).get("maxSurge", "25%") != 0
    if surges or field.old is None or (field.place == f"{MODEL}.replicaCount" and field.new > field.old):
        return evicts(TAKES, PREEMPTION)
    return rolls("its template changes: pods start anew, a server loads its model again", DEPLOYMENTS)


NETWORK_OPERATOR = controller(
    {
        "values.{sriovNetworkOperator,sriov-network-operator}.*": reloads(
            "the SR-IOV operator may configure ports anew, and drains a node to do so", DRAINING
        ),
        "values.nfd.{enabled,deployNodeFeatureRules}": switch("what labels the nodes", DISCOVERY),
        **rolled(
            "values.operator.{repository,cniBinDirectory,cniNetworkDirectory}",
            "values.maintenanceOperator.enabled",
            "values.maintenance-operator-chart.operatorConfig.{deploy,maxParallelOperations}",
        ),
    }
)
"""The operator alone; what runs on the nodes is in NicClusterPolicy."""
PROBE = "{failureThreshold,periodSeconds,timeoutSeconds,initialDelaySeconds,httpGet.path,httpGet.port}"
VLLM = controller(
    {
        f"{MODEL}.{{modelURL,name,repository,tag,replicaCount,shmSize,priorityClassName}}": model,
        f"{MODEL}.{{env[],extraVolumes[],extraVolumeMounts[],nodeSelector,resources,tolerations[]}}.*": model,
        f"{MODEL}.{{pdb,keda,vllmConfig,nodeSelectorTerms[]}}.*": model,
        f"values.servingEngineSpec.{{livenessProbe,readinessProbe,startupProbe}}.{PROBE}": model,
        "values.servingEngineSpec.{runtimeClassName,strategy.type}": model,
        "values.servingEngineSpec.strategy.rollingUpdate.{maxSurge,maxUnavailable}": ROLL,
        **rolled(
            "values.{servingEngineSpec,routerSpec}.serviceMonitor.{enabled,additionalLabels.*}",
            "values.{kube-prometheus-stack,prometheus-adapter}.enabled",
            "values.routerSpec.{extraArgs[],imagePullPolicy,priorityClassName,routingLogic,sessionKey,tag}",
        ),
    }
)
CHARTS: Mapping[str, Rule] = {
    **MONITORING,
    "gpu-operator": gpu_operator.OPERATOR,
    "kueue": kueue.RELEASE,
    "network-operator": NETWORK_OPERATOR,
    "vllm-stack": VLLM,
    "aws-efa-k8s-device-plugin": controller(rolled(f"values.{TOLERATIONS}")),
    "aws-fsx-csi-driver": csi(
        rolled("values.node.tolerateAllTaints", "values.controller.serviceAccount.annotations.*")
    ),
    "exa-csi": csi(
        {
            "values.config.exascaler_map.*": evicts("volumes are mounted from elsewhere when a pod starts", HELM),
            **rolled(
                "values.config.{debug,openshift}",
                f"values.node.{TOLERATIONS}",
                "values.resources.{limits,requests}.{cpu,memory}",
            ),
        }
    ),
    "jobset": controller(rolled("values.certManager.enable")),
    "lws": controller(rolled("values.enableCertManager")),
    "kubeflow-trainer": controller(
        {
            "values.dataCache.enabled": ROLL,
            "values.jobset.install": switch("the JobSet controller", TRAINER),
            "values.runtimes.defaultEnabled": switch("what TrainJobs are made from", TRAINER),
        }
    ),
    "node-feature-discovery": controller(
        {"values.master.extraLabelNs[]": labels, f"values.worker.{TOLERATIONS}": labels}
    ),
    "nvidia-dra-driver-gpu": controller(
        {
            "values.resources.{computeDomains,gpus}.enabled": switch("what hands its devices out", HELM),
            **rolled(
                "values.nvidiaDriverRoot",
                f"values.{{controller,kubeletPlugin}}.{TOLERATIONS}",
                "values.controller.affinity.*",
            ),
        }
    ),
    "volcano": controller(
        {
            "values.custom.scheduler_config_override": evicts(
                "who may preempt and reclaim from whom may change", "Volcano docs: scheduler configuration"
            ),
            **rolled(
                "values.custom.controller_config_override.networkTopologyDiscovery[].{enabled,source}",
                "values.custom.controller_config_override.networkTopologyDiscovery[].config.networkTopologyTypes"
                ".network[].nodeLabel",
            ),
        }
    ),
    "whereabouts-chart": controller(rolled("values.image.tag", f"values.{TOLERATIONS}")),
}
DEFAULT = controller({})
"""Of a chart that has no row: it is known what its end does, and nothing of its values."""
