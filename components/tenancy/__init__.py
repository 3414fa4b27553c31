"""Who uses the cluster: teams, what each may take, and what keeps them apart."""
