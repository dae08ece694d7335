"""Linear algebra over the rationals: forms, halfspaces, elimination, linear programs, cones."""
