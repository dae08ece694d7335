"""Is an expression ≥ 0 on a domain? Small deciders with one kind of answer."""
