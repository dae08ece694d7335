"""Claims as data: what must be proved, and the answers."""
