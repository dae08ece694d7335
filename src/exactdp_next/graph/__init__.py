"""What a program does: its states, merged into a graph for each event."""
