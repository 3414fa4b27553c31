"""NCCL-3xx: communication settings and the shape of GPU pods."""
