"""Linear forms in named symbols, as the language makes them of 1/ε too."""

from exactdp.language.linear import Linear, Scalar

__all__ = ["Linear", "Scalar"]
