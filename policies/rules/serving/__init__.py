"""INF-6xx: model servers."""
