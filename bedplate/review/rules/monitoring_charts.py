"""Charts that only measure, show or scale."""

from collections.abc import Mapping

from bedplate.review.rules.releases import TOLERATIONS, rolled, watcher
from bedplate.review.rules.rule import Rule, nothing, rolls

STACK = watcher(
    {
        **rolled(
            "values.{alertmanager,coreDns,crds,grafana,kubeControllerManager,kubeEtcd,kubeProxy,kubeScheduler}.enabled",
            "values.{fullnameOverride,kube-state-metrics.fullnameOverride,prometheus-node-exporter.fullnameOverride}",
            "values.alertmanager.alertmanagerSpec.useExistingSecret",
            "values.grafana.admin.{existingSecret,passwordKey,userKey}",
            "values.grafana.sidecar.dashboards.{folderAnnotation,searchNamespace,provider.foldersFromFilesStructure}",
            "values.kube-state-metrics.customResourceState.{enabled,config.*}",
            "values.kube-state-metrics.rbac.extraRules[].{apiGroups[],resources[],verbs[]}",
            "values.prometheus-node-exporter.image.{registry,repository,tag}",
            "values.prometheus-node-exporter.prometheus.monitor.relabelings[].{sourceLabels[],targetLabel}",
            f"values.prometheus-node-exporter.{TOLERATIONS}",
            "values.prometheus.prometheusSpec.{podMonitor,probe,rule,scrapeConfig}SelectorNilUsesHelmValues",
            "values.prometheus.prometheusSpec.{serviceMonitorSelectorNilUsesHelmValues,retention,retentionSize}",
        ),
        "values.prometheus.prometheusSpec.storageSpec.volumeClaimTemplate.spec.{accessModes[],storageClassName}": rolls(
            "Prometheus starts anew; a claim that exists keeps its class", "Prometheus Operator docs: storage"
        ),
        "values.prometheus.prometheusSpec.storageSpec.volumeClaimTemplate.spec.resources.requests.storage": rolls(
            "Prometheus starts anew; a claim that exists keeps its size", "Prometheus Operator docs: resizing volumes"
        ),
    }
)
ADAPTER = watcher(
    rolled(
        "values.{fullnameOverride,metricsRelistInterval,prometheus.port,prometheus.url,rules.default}",
        "values.rules.custom[].{metricsQuery,seriesQuery,name.as,name.matches}",
        "values.rules.custom[].resources.overrides.{namespace,pod}.resource",
    )
)
_STAY = nothing("only whether definitions stay when the release goes", "Helm docs: resource policy")
KEDA = watcher(
    {
        "values.crds.additionalAnnotations.helm.sh/resource-policy": _STAY,
        **rolled(
            "values.{clusterName,crds.install,prometheus.operator.enabled,prometheus.operator.serviceMonitor.enabled}"
        ),
    }
)
CHARTS: Mapping[str, Rule] = {
    "dcgm-exporter": watcher({}),
    "keda": KEDA,
    "kube-prometheus-stack": STACK,
    "prometheus-adapter": ADAPTER,
    "prometheus-operator-crds": watcher({"values.crds.annotations.helm.sh/resource-policy": _STAY}),
}
