"""The semantics of programs: runs, simulated or exact, and probabilities."""
