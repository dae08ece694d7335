"""The parts of a claim: formulas, levels of α and γ, inputs, distances and the ideal."""
