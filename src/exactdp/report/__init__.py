"""Plots, HTML reports and notebook output.

Nothing is decided here. matplotlib and jinja2 are loaded on first use.
"""
