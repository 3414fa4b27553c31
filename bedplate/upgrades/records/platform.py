"""What stands below: Node Feature Discovery and the monitoring stack."""

from bedplate.upgrades.records.transition import Transition, Verdict

NFD = "kubernetes-sigs/node-feature-discovery docs/deployment/helm.md and the chart's values.yaml at both tags"
STACK = "prometheus-community/helm-charts charts/kube-prometheus-stack/UPGRADE.md"
SCHEMAS = "prometheus-operator/prometheus-operator example/prometheus-operator-crd at both releases"
_FIRST = (
    "CRDs first: Helm never upgrades a crds/ folder, and upstream has them applied by hand (kubectl apply "
    "--server-side) or by crds.upgradeJob; in this stack prometheus-operator-crds brings them, before the operator"
)
_TOKENS = "oauth2.tokenUrl and remoteRead.url must be URLs: put others right, or their monitors stay as they are"
_LIMITS = "limits, moduli and timeouts below zero are refused (`narrower` in --json names each)"


def _monitoring(chart: str, old: str, new: str, *steps: str) -> Transition:
    return Transition(chart, old, new, Verdict.MANUAL, "", steps, (STACK, SCHEMAS))


TRANSITIONS = (
    Transition(
        "node-feature-discovery",
        "0.17.4",
        "0.18.3",
        Verdict.MANUAL,
        "",
        (
            "take metricsPort, healthPort, featureApi, featureRulesController and every grpc probe out of the values",
            "CRDs first (this stack does: docs/crds.md)",
        ),
        (NFD,),
    ),
    Transition(
        "node-feature-discovery",
        "0.18.3",
        "0.19.0",
        Verdict.MANUAL,
        "",
        (
            "env, expandenv and getHostByName are gone from templates of rules: take them out first",
            "workers are replaced ten in a hundred at once: labels stay meanwhile",
        ),
        (NFD, "kubernetes-sigs/node-feature-discovery docs/usage/customization-guide.md"),
    ),
    _monitoring("prometheus-operator-crds", "29.0.0", "30.0.1", _TOKENS),
    _monitoring("prometheus-operator-crds", "30.0.1", "31.0.1", _LIMITS),
    _monitoring("kube-prometheus-stack", "86.3.2", "87.21.0", _FIRST, _TOKENS),
    _monitoring("kube-prometheus-stack", "87.21.0", "88.5.3", _FIRST, _LIMITS),
)
