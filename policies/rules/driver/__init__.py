"""GPU-1xx: charts, driver and device plugin."""
