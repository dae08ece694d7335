"""The classes that users make."""
