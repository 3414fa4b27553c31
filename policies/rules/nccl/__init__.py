"""NCCL-3xx: communication settings and the shape of GPU pods."""

from bedplate.policies.rules.nccl import environment, fabric, images, interfaces, shape

__all__ = ["environment", "fabric", "images", "interfaces", "shape"]
