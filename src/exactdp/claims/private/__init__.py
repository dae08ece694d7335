"""What privacy asks of pairs of inputs: adjacency, bounds, budgets, δ."""
