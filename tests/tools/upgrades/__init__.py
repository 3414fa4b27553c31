"""What makes `proven.json` and `fields.json` in `bedplate/charts/`: both releases' real CRDs on a real API server."""
