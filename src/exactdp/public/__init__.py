"""The public API: programs, claims and answers, with their methods and plots.

Each class extends a plain value class of a lower layer with the methods that need higher layers.
"""
