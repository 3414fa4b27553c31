"""Grafana dashboards as data: a file says what its panels show, the builder where they stand."""
