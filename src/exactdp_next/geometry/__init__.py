"""Cones, exact linear programs, domains: where goals are claimed."""
