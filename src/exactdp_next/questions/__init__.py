"""The questions about claims."""
