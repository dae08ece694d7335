"""The numbers of a claim: best constants, sets of ε, least γ, curves."""
