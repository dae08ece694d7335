"""Random claims by the thousand, each compared with an oracle that shares nothing with exactdp."""
