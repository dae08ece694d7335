"""Programs: everything that a user writes as a function."""
