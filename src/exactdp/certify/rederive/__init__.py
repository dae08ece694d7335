"""What a claim says of its program: from the text of a certificate to the inequalities it needs.

From the bottom up:

- `ratios`, `linear`, `formulas`: quotients of sums, linear forms in unknowns, formulas for α, β, γ;
- `programs`, `interpreter`, `builtin`, `runs`: the mechanisms' language, and its runs along paths;
- `integrals`, `regions`, `distances`: probabilities, feasible inputs, distances;
- `points`, `derivation`: runs at inputs; the programs of one claim;
- `parametric`: a claim's program on a cone of inputs, of which a point is one: the ray where only ε
  moves;
- `values`, `obligations`: values and levels in JSON; which α and γ matter;
- `statement`, `claims`, `spaces`, `everywhere`: the certificates themselves.
"""
