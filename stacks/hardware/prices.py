"""What clouds ask for a machine and hour where a profile gives no price of its own (`hardware.prices`).

List prices on demand for Linux, in US dollars. What is reserved, bought as a block or taken as spot has prices of its
own, and so have other regions. A machine that is not here has no published price, or none that we could check.
"""

from collections.abc import Mapping
from datetime import date

AS_OF = date(2026, 8, 17)
"""The last day on which the youngest of these was looked up."""
WHERE: Mapping[str, str] = {"eks": "us-east-1", "gke": "us-central1", "aks": "eastus"}
"""The region whose list it is."""

# fmt: off
LIST: Mapping[str, float] = {
    # AWS Price List, EC2 on demand
    "p3.2xlarge": 3.06, "p3.8xlarge": 12.24, "p3.16xlarge": 24.48,
    "p4d.24xlarge": 21.95764, "p4de.24xlarge": 27.44705,
    "p5.4xlarge": 6.88, "p5.48xlarge": 55.04, "p5en.48xlarge": 63.296,
    "p6-b200.48xlarge": 113.9328, "p6-b300.48xlarge": 142.416,
    "g4dn.xlarge": 0.526, "g4dn.2xlarge": 0.752, "g4dn.4xlarge": 1.204, "g4dn.8xlarge": 2.176, "g4dn.12xlarge": 3.912,
    "g4dn.16xlarge": 4.352, "g4dn.metal": 7.824,
    "g5.xlarge": 1.006, "g5.2xlarge": 1.212, "g5.4xlarge": 1.624, "g5.8xlarge": 2.448, "g5.12xlarge": 5.672,
    "g5.16xlarge": 4.096, "g5.24xlarge": 8.144, "g5.48xlarge": 16.288,
    "g6.xlarge": 0.8048, "g6.2xlarge": 0.9776, "g6.4xlarge": 1.3232, "g6.8xlarge": 2.0144, "g6.12xlarge": 4.6016,
    "g6.16xlarge": 3.3968, "g6.24xlarge": 6.6752, "g6.48xlarge": 13.3504,
    "g6e.xlarge": 1.861, "g6e.2xlarge": 2.24208, "g6e.4xlarge": 3.00424, "g6e.8xlarge": 4.52856,
    "g6e.12xlarge": 10.49264, "g6e.16xlarge": 7.57719, "g6e.24xlarge": 15.06559, "g6e.48xlarge": 30.13118,
    # Compute Engine, accelerator-optimized machine types
    "a2-highgpu-1g": 3.673385, "a2-highgpu-2g": 7.34677, "a2-highgpu-4g": 14.69354, "a2-highgpu-8g": 29.38708,
    "a2-ultragpu-1g": 5.06880, "a2-ultragpu-2g": 10.13760, "a2-ultragpu-4g": 20.27519, "a2-ultragpu-8g": 40.55038,
    "a3-highgpu-1g": 11.0612, "a3-highgpu-2g": 22.1225, "a3-highgpu-4g": 44.245, "a3-highgpu-8g": 88.49,
    "a3-ultragpu-8g": 84.80691,
    # Azure retail prices, virtual machines, pay as you go
    "ND96asr_v4": 27.197, "ND96amsr_A100_v4": 32.77, "ND96isr_H100_v5": 98.32,
    "NC24ads_A100_v4": 3.673, "NC48ads_A100_v4": 7.346, "NC96ads_A100_v4": 14.692,
    "NC4as_T4_v3": 0.526, "NC8as_T4_v3": 0.752, "NC16as_T4_v3": 1.204, "NC64as_T4_v3": 4.352,
}
# fmt: on
