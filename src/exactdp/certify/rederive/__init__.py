"""What a claim says of its program: from the text of a certificate to the inequalities it needs.

From the bottom up:

- `ratios`, `linear`, `formulas`: quotients of sums, linear forms in unknowns, formulas for α, β, γ;
- `programs`, `interpreter`, `builtin`, `runs`: the mechanisms' language, and its runs along paths;
- `points`, `parametric`: runs at inputs, and on cones of inputs;
- `integrals`, `regions`, `distances`: probabilities, feasible inputs, distances;
- `derivation`, `values`, `obligations`: all of this for one claim; which α and γ matter;
- `statement`, `claims`, `spaces`, `everywhere`: the certificates themselves.
"""
