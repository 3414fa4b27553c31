"""`docs/hardware.md`: every shape and GPU that a pool can name, with its source, made from the tables.

`make schema` writes it.
"""

from collections.abc import Iterator

from bedplate.catalog.gpus import GPUS, Gpu
from bedplate.catalog.machines import MACHINES
from bedplate.catalog.sources import SOURCES
from bedplate.folders import PROJECT
from bedplate.stacks.hardware.shapes import SHAPES, Shape

PAGE_FILE = PROJECT / "docs" / "hardware.md"
HEAD = """# Machines and GPUs

A pool names a shape from this page, or one that the site describes itself. This page is made from the catalogue
(`bedplate/catalog/data/`, `make schema`), which also has quotas, prices and disks; a date is the day on
which a source was read.

## Machines of your own

What is not here, or differs from yours, goes into the profile, or into a file beside the stack file that several stacks
share; its keys are those of [`hardware`](profile.md). A name of yours goes before one of ours. [`bedplate inspect`](inspect.md) writes
most of it from what a node has; by hand: `nvidia-smi -L` (product), `lspci -nn -d 10de:` (PCI id), `nvidia-smi mig -lgip`
(MIG profiles), `nproc` and `free -g`.

```yaml
hardware:
  file: machines.yaml            # optional: stacks/machines.yaml with `gpus` and `shapes`
  gpus:
    H20: {product: NVIDIA-H20, memoryGib: 96, family: hopper, pciIds: ["2329"]}
  shapes:
    hgx-h20:
      gpu: H20                   # one of yours, or of the table below
      gpus: 8
      cpus: 192
      memoryGib: 2048
      fabrics: [roce]            # what its NICs can form: infiniband, roce, efa, tcpxo, gib
      nics: 4
      nicGbps: 400
      nvlinkDomain: 8            # GPUs that share NVLink; 1 for PCIe
pools:
  - {name: system, shape: {cpus: 16, memoryGib: 64}, nodes: 3} # operators run there
  - {name: h20, shape: hgx-h20, nodes: 16}
```
"""
PLACES = {"eks": "EKS", "gke": "GKE", "aks": "AKS", "oke": "OKE", None: "Machines of a site"}

GPU_HEAD = """Memory is GiB, by the label and as a process sees it; peaks are dense TFLOP/s in bf16 (fp16 before
Ampere), FP8 and FP4, by NVIDIA's data sheets.

| GPU | product label | memory | a process sees | family, compute capability | PCI id | peaks | MIG profiles |
|---|---|---|---|---|---|---|---|
"""


def page() -> str:
    """The page."""
    return HEAD + "".join(_shapes(cloud, title) for cloud, title in PLACES.items()) + _gpus()


def _shapes(cloud: str | None, title: str) -> str:
    rows = "".join(_shape(name, shape) for name, shape in SHAPES.items() if shape.cloud == cloud)
    head = "| shape | GPUs | processors | memory GiB | NICs | fabrics | NVLink | source |\n" + 8 * "|---" + "|\n"
    return f"\n## {title}\n\n{head}{rows}"


def _shape(name: str, shape: Shape) -> str:
    nics = "not published" if shape.nics is None else f"{shape.nics} × {shape.nic_gbps}G" if shape.nics else "–"
    cells = (
        f"`{name}`",
        f"{shape.gpus} × {shape.gpu}",
        str(shape.cpus),
        str(shape.memory_gib),
        nics,
        ", ".join(shape.fabrics) or "–",
        str(shape.nvlink_domain) if shape.nvlink_domain > 1 else "–",
        f"{shape.source} ({SOURCES[MACHINES[name].source].read})",
    )
    return f"| {' | '.join(cells)} |\n"


def _gpus() -> str:
    rows = "".join(f"| {' | '.join(_gpu(name, gpu))} |\n" for name, gpu in GPUS.items())
    return f"\n## GPUs\n\n{GPU_HEAD}{rows}"


def _gpu(name: str, gpu: Gpu) -> Iterator[str]:
    peaks = (gpu.bf16_tflops, gpu.fp8_tflops, gpu.fp4_tflops)
    yield from (f"`{name}`", f"`{gpu.product}`", str(gpu.memory_gib))
    yield "not known" if gpu.visible_gib is None else f"{gpu.visible_gib:g}"
    yield from (f"{gpu.family}, {'.'.join(map(str, gpu.capability))}", ", ".join(gpu.pci))
    yield ", ".join("–" if peak is None else f"{peak:g}" for peak in peaks)
    yield ", ".join(f"{profile} × {most}" for profile, most in gpu.mig.items()) or "–"


def write() -> None:
    """Bring the page up to date."""
    PAGE_FILE.write_text(page(), encoding="utf-8")
