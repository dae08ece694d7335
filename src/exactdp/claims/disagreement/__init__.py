"""The distance to disagreement: how far to an input with another ideal output."""
