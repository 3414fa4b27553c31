"""What every Helm release has in common: how Helm goes about it, and what goes with the chart."""

from bedplate.review.rules.rule import Fields, evicts, nothing, rolls

HELM = "Helm 3 upgrade of the release"
ROLL = rolls("Helm applies the chart anew; pods whose template differs roll", HELM)
RELEASE: Fields = {
    "{version,chart,repositoryOpts.repo}": ROLL,
    "{allowNullValues,atomic,cleanupOnFail,compat,maxHistory,skipCrds,timeout,waitForJobs}": nothing(
        "only how Helm goes about it", "Helm docs: helm upgrade"
    ),
}
"""Of every release. Each value is the chart's own: nothing is known of one that the chart's rule does not list."""
NEW = nothing("a new release: nothing uses it yet", HELM)
ROLES = {
    "controller": evicts("its controller goes, and whoever waits for it with it", HELM),
    "csi": evicts("without its driver no volume is mounted or let go", "Kubernetes CSI docs"),
    "watcher": rolls("its pods go; nothing is measured or scaled by it any more", HELM),
}
"""What the end of a chart does: one that jobs wait for, a storage driver (mounts of the kernel stay, new ones wait),
and one that only measures, shows or scales."""
