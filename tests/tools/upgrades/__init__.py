"""What makes `upgrades/proven.json` and `upgrades/fields.json`: both releases' real CRDs on a real API server."""
