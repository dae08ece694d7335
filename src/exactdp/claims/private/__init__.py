"""Privacy of pairs of inputs: adjacency, bounds, budgets, δ."""
