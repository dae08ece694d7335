"""The regions of parameters of a claim, and reductions of these by order and symmetry."""
