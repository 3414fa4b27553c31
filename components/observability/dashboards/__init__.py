"""Grafana dashboards as typed Python: panels say what they show, the builder where they stand."""
