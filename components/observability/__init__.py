"""Metrics, alerts and dashboards, and what autoscalers ask of them."""
