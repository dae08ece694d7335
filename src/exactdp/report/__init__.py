"""What people look at: pictures, a page to hand over, and notebooks.

Nothing here decides anything. matplotlib and jinja2 are loaded only when they are used.
"""
