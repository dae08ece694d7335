"""Re-derivation of claims: from the text of a certificate to the inequalities that it needs.

From the bottom up:

- `evaluation`, `sign_claims`: signs at points; certificates of signs;
- `ratios`, `linear`, `cones`, `formulas`: quotients of sums, linear forms in unknowns, polyhedral
  cones, formulas for α, β, γ;
- `allowed`, `programs`, `interpreter`, `builtin`, `runs`: the mechanisms' language, and its runs
  along paths;
- `integrals`, `distances`, `points`, `derivation`: probabilities, distances, runs at inputs; the
  programs of one claim;
- `parametric`: a claim's program on a cone of inputs, of which a point is one: the ray where only ε
  moves; `halfspaces`, `near_boxes`: that no input near a point disagrees;
- `merged`, `successes`, `flows`, `implied`, `monotone`: all runs as a graph, and what it shows;
- `values`, `obligations`: values and levels in JSON; which α and γ matter;
- `statement`, `worst_inputs`, `spaces`, `proofs`: what is claimed, where it is worst, that no input
  is left out, signs and verdicts;
- `claims` and `cases`, with `refutations`; `privacy` and `private_cones`; `expected`; `in_parts`:
  the proof of a claim of each kind.
"""
