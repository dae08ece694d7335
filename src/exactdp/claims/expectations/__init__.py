"""Expected losses: moments, losses and what refutes a bound."""
