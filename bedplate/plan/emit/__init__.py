"""`bedplate plan --emit argocd|flux`: the same cluster for a controller that delivers from git."""
