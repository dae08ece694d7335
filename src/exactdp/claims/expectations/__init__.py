"""Expected losses: moments, losses and counterexamples to bounds."""
