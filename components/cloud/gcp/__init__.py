"""GKE nodes. Imports of pulumi_gcp stay in here, so that only a stack with `cloud.kind: gcp` pays for them."""
