"""How does the best constant of Sparse grow with m and c? A study that can be resumed.

For: seeing how loose a bound from the literature is over a whole family. Known bound: that of
`sparse.py`, 2mc·e^{−αε/(8c)}; κ is the factor by which it is too large, for all real inputs.

python examples/sparse_study.py 20 4     # m up to 20, c up to 4: an hour or two, and resumable
"""

import sys
from pathlib import Path

from exactdp import Accuracy, AllReals, Study, alpha, eps, exp

sys.path.insert(0, str(Path(__file__).parent))
from sparse import sparse


def claim(c: int, m: int) -> Accuracy | None:
    """Return the known bound for m answers of which c may be above; None if c > m."""
    if c > m:
        return None
    beta = 2 * m * c * exp(-alpha * eps / (8 * c))
    return Accuracy(sparse(m, c), beta=beta, inputs=AllReals())


def study(most: int = 4, answers: int = 2) -> Study:
    """Return the study for m and c up to the given numbers."""
    return Study(claim, c=range(1, answers + 1), m=range(2, most + 1))


if __name__ == "__main__":
    asked = [int(one) for one in sys.argv[1:] if one.isdecimal()]
    table = study(*asked).run("tightest", jobs=0)
    if asked:
        table.to_csv("sparse_study.csv")
    for row in table:
        print(f"m = {row['m']}, c = {row['c']}: κ = {row.get('kappa', row['error'])}")
