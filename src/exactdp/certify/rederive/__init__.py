"""Re-derivation of claims: from the text of a certificate to the inequalities that it needs.

From the bottom up:

- `ratios`, `linear`, `formulas`: quotients of sums, linear forms in unknowns, formulas for α, β, γ;
- `programs`, `interpreter`, `builtin`, `runs`: the mechanisms' language, and its runs along paths;
- `integrals`, `distances`, `points`, `derivation`: probabilities, distances, runs at inputs; the
  programs of one claim;
- `parametric`: a claim's program on a cone of inputs, of which a point is one: the ray where only ε
  moves; `regions`: whether an input near a point disagrees;
- `values`, `obligations`: values and levels in JSON; which α and γ matter;
- `statement`, `spaces`, `claims`: what is claimed, that no input is left out, and the proof.
"""
