"""Claims as tests, for pytest: nothing yet. Every run of pytest loads this module."""
