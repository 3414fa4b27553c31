"""The one way to a stack's cluster: Pulumi's CLI behind a guard, and with the policies."""
