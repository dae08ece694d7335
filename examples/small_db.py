"""SmallDB: a small database that answers all queries well (paper, section 3.7).

For: releasing synthetic data once, and answering any query of a set from it.

Known bound: Blum, Ligett and Roth 2008; Dwork and Roth 2014, Proposition 4.4. Its core is the
bound for the exponential mechanism (Corollary 3.12): the largest error of a query is more than γ
above the smallest possible with probability at most |R|·e^{−γε/2}, where R is the set of small
databases. (The rate is for queries scaled to sensitivity 1.) Here |R| = 3.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import log

from exactdp import (
    ANY,
    Accuracy,
    Dom,
    Mechanism,
    discrete,
    eps,
    exp,
    expmech,
    gamma,
    mechanism,
    score_gap,
)


def small_db(records: int = 2, size: int = 2, most: int = 2) -> Mechanism:
    """Return a database of `size` records whose answers are close to the true ones.

    A database counts how often each kind of record occurs, each up to `most` times in the
    input. The queries ask for the share of each kind, and of the first two kinds together.
    """
    queries = tuple(
        tuple(int(kind in wanted) for kind in range(records))
        for wanted in [{kind} for kind in range(records)] + [{0, 1}]
    )
    candidates = tuple(
        tuple(chosen.count(kind) for kind in range(records))
        for chosen in combinations_with_replacement(range(records), size)
    )

    def share(query: tuple[int, ...], database: tuple[int, ...]) -> Fraction:
        total = sum(database)
        counted = sum(weight * count for weight, count in zip(query, database, strict=True))
        return Fraction(counted, total) if total else Fraction(0)

    def utility(database: tuple[int, ...], candidate: tuple[int, ...]) -> Fraction:
        return -max(abs(share(query, database) - share(query, candidate)) for query in queries)

    @mechanism
    def small_db(database: Dom(0, most)[records]):
        return expmech(eps / 2, lambda candidate: utility(database, candidate), candidates)

    return small_db


_known = Accuracy(
    small_db(),
    beta=3 * exp(-gamma * eps / 2),
    alpha=0,
    gamma=ANY,
    input_distance=discrete,
    output_distance=score_gap,
)
claims = {
    "known bound": _known,  # holds for all 9 databases
    "without the best": replace(_known, beta=2 * exp(-gamma * eps / 2)),  # holds; tight
    "without the union": replace(_known, beta=exp(-gamma * eps / 2)),  # refuted
    "5 % errors": replace(_known, beta="1/20", gamma=0, inputs=[[1, 1]]),  # for some ε only
}
known_epsilon = 4 * log(3 / 0.05)  # the other two databases are 1/2 worse

if __name__ == "__main__":
    for name, claim in claims.items():
        print(f"{name}: {claim.check().sentence}")
    kappa = float(claims["known bound"].tightest().kappa)
    print(f"known bound: it may be divided by {kappa:.4f} and no more.")
    needed = float(claims["5 % errors"].smallest_epsilon())
    print(
        f"The best database for [1, 1] in 95 % of runs: ε = {known_epsilon:.4f} by the known bound;"
    )
    print(f"ε = {needed:.4f} is enough.")
