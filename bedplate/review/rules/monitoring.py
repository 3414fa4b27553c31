"""What is measured and what rings: no job waits for either."""

from collections.abc import Mapping

from bedplate.review.rules.rule import OBJECT, Kind, Rule, nothing

PROMETHEUS = "Prometheus Operator docs"
GOOGLE = "GKE docs: managed collection"
_TARGET = "{port,path,scheme,interval,scrapeTimeout,honorLabels,bearerTokenFile}"


def monitor(source: str) -> Kind:
    """Targets, how they are asked, and alerts."""
    same = nothing("only what is measured or rings changes", source)
    paths = (
        f"spec.{{endpoints[],podMetricsEndpoints[]}}.{_TARGET}",
        "spec.endpoints[].{tlsConfig,tls}.insecureSkipVerify",
        "spec.endpoints[].authorization.{type,credentials.secret.name,credentials.secret.key}",
        "spec.{selector.matchLabels.*,namespaceSelector.matchNames[]}",
        "spec.targetLabels.{metadata[],fromPod[].from,fromPod[].to}",
        "spec.groups[].{name,interval,rules[].alert,rules[].record,rules[].expr,rules[].for,rules[].keep_firing_for}",
        "spec.groups[].rules[].{labels,annotations}.*",
        "metadata.labels.release",
    )
    return Kind(same, same, {**OBJECT, **dict.fromkeys(paths, same)})


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("ServiceMonitor", "PodMonitor", "PrometheusRule"), monitor(PROMETHEUS)),
    **dict.fromkeys(("PodMonitoring", "ClusterPodMonitoring", "Rules", "ClusterRules"), monitor(GOOGLE)),
}
