"""Settings of the tests that look inside the old tree, or test what the new one will not have."""

pytest_plugins = ["support.settings"]
