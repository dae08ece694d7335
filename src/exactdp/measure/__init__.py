"""Integrals and sums of noise: from densities and linear conditions to closed forms."""
