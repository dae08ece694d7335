"""Mutation testing: change the source at random places and see whether a test notices."""
