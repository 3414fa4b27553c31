"""EKS nodes. Imports of pulumi_aws stay in here, so that only a stack with `cloud.kind: aws` pays for them."""
