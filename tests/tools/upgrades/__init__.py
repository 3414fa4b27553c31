"""What makes `bedplate/upgrades/proven.json` and `bedplate/upgrades/fields.json`: both releases' real CRDs on a real API server."""
