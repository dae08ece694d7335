"""The distance to disagreement: from an input to the nearest one with another ideal output."""
