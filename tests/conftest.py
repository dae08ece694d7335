"""Settings of the acceptance suite: what users see, asked of the tree that EXACTDP_CORE names."""

pytest_plugins = ["support.settings", "support.not_yet"]
