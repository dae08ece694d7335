"""From regions to a verdict: cells, their obligations, signs, counterexamples."""
