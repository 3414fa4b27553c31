"""What every Helm release has in common: how Helm goes about it, and what goes with the chart."""

from bedplate.review.danger import Judgement
from bedplate.review.rules.rule import Fields, Kind, Rule, evicts, nothing, rolls

HELM = "Helm 3 upgrade of the release"
CSI = "Kubernetes CSI docs"
TOLERATIONS = "tolerations[].{key,operator,value,effect,tolerationSeconds}"
ROLL = rolls("Helm applies the chart anew; pods whose template differs roll", HELM)
RELEASE: Fields = {
    "{version,chart,repositoryOpts.repo}": ROLL,
    "{allowNullValues,atomic,cleanupOnFail,compat,maxHistory,skipCrds,timeout,waitForJobs}": nothing(
        "only how Helm goes about it", "Helm docs: helm upgrade"
    ),
}
"""Of every release. Each value is the chart's own: nothing is known of one that the chart's rule does not list."""
NEW = nothing("a new release: nothing uses it yet", HELM)


def release(fields: Fields, gone: Judgement, new: Judgement | Rule = NEW) -> Kind:
    """The rule of a chart: its values, and what its end does."""
    return Kind(new, gone, {**RELEASE, **fields})


def controller(fields: Fields, new: Judgement | Rule = NEW) -> Kind:
    """A chart that jobs wait for."""
    return release(fields, evicts("its controller goes, and whoever waits for it with it", HELM), new)


def csi(fields: Fields) -> Kind:
    """A storage driver: mounts of the kernel stay, new ones wait."""
    return release(fields, evicts("without its driver no volume is mounted or let go", CSI))


def watcher(fields: Fields) -> Kind:
    """What only measures, shows or scales: no job waits for it."""
    return release(fields, rolls("its pods go; nothing is measured or scaled by it any more", HELM))


def rolled(*paths: str) -> Fields:
    """Values that end in a template of the chart's own pods, and nowhere else."""
    return dict.fromkeys(paths, ROLL)
