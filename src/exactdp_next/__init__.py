"""The new tree."""
