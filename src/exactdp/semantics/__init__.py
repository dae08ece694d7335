"""What a program means: its runs, simulated or exact, and its probabilities."""
