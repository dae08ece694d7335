"""What is claimed: formulas, levels of α and γ, inputs, distances and the ideal."""
