"""What projects say of the Kubernetes, systems and distributions that their releases run on."""

import pytest

from bedplate.catalog import support
from bedplate.components.chart import Chart
from bedplate.components.version import line
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.profile import Profile
from tests.tools.catalog import support as tool

CHARTS = {one.name: one for one in installable(Profile).values() if isinstance(one, Chart)}
RELEASES = [(name, version) for name in sorted(support.CHARTS) for version in CHARTS[name].versions]
PAGE = """
.. list-table::
    :header-rows: 1

    * - | Operating
        | System
      - Kubernetes |fn1|_
      - | Red Hat
        | OpenShift
      - | Nutanix
        | NKP

    * - Ubuntu 24.04 LTS
      - 1.32---1.36
      -
      - 2.17

    * - | Red Hat
        | Enterprise
        | Linux 9.2, 9.4 |fn3|_
      - 1.33–1.36
      - 4.18---4.22
      -

Some words.
"""


def test_every_release_that_can_be_installed_is_known() -> None:
    assert {"gpu-operator", "network-operator", "nvidia-dra-driver-gpu", "kueue", "volcano"} == support.CHARTS
    assert [each for each in RELEASES if not support.of_release(each[0], line(each[1]))] == []


def test_a_release_that_nobody_has_read_of_is_not_known() -> None:
    assert support.kubernetes("gpu-operator", (27, 1), "kubeadm", "ubuntu") is None
    assert support.systems("gpu-operator", (27, 1), "kubeadm") == frozenset()


@pytest.mark.parametrize(
    ("platform", "system", "said"),
    [
        ("kubeadm", "ubuntu", "1.32 to 1.37"),
        ("kubeadm", "rhel", "1.33 to 1.37"),
        ("rke2", "ubuntu", "1.33 to 1.37"),
        ("talos", "talos", "1.32 to 1.37"),  # tried nowhere by NVIDIA: as upstream Kubernetes
        ("oke", "oraclelinux", "1.32 to 1.37"),
    ],
)
def test_the_kubernetes_of_a_release_is_that_of_the_platform_and_system(platform: str, system: str, said: str) -> None:
    assert str(support.kubernetes("gpu-operator", (26, 7), platform, system)) == said


def test_a_release_without_a_last_kubernetes_takes_any_later_one() -> None:
    span = support.kubernetes("nvidia-dra-driver-gpu", (25, 8), "kubeadm", "ubuntu")
    assert span is not None
    assert (31 in span, 32 in span, 99 in span, str(span)) == (False, True, True, "1.32 or later")


def test_a_page_of_the_documentation_is_read_by_systems_and_distributions() -> None:
    read = [tuple(row.values()) for row in tool.of_tables(PAGE, "26.7")]
    assert read == [
        ("ubuntu", "24.04", "upstream", "unknown", "1.32", "1.36"),
        ("rhel", "9.2 9.4", "upstream", "amd64", "1.33", "1.36"),
        ("rhel", "9.2 9.4", "openshift", "amd64", "4.18", "4.22"),
    ]


def test_readmes_and_charts_are_read() -> None:
    volcano = "| | Kubernetes 1.35 | Kubernetes 1.34 | Kubernetes 1.9 |\n|-|-|-|-|\n| Volcano v1.15 | ✓ | ✓ | - |\n"
    kueue = "suites for Kubernetes\n      [1.9](a)\n      [1.36](b)\n**Requires Kubernetes 1.29 or newer**."
    assert [(row["oldest"], row["newest"]) for row in tool.of_volcano(volcano, "1.15")] == [("1.34", "1.35")]
    assert [(row["oldest"], row["newest"]) for row in tool.of_kueue(kueue, "0.19")] == [("1.29", "1.36")]
    assert [row["newest"] for row in tool.of_chart('kubeVersion: ">=1.32.0-0"', "25.8")] == ["unknown"]
