"""Numbers computed for a claim: best constants, sets of ε, the least γ, curves."""
