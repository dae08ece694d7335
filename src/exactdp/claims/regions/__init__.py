"""Regions of parameters that a claim is about, and fewer that suffice: order, symmetry."""
