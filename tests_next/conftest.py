"""Settings of the tests of the new tree."""

pytest_plugins = ["support.settings"]
