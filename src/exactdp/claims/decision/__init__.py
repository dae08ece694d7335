"""From regions to a verdict: cells, what is due on them, signs, counterexamples."""
