"""SmallDB: a small database that answers all queries well (paper, section 3.7)."""

from fractions import Fraction
from itertools import combinations_with_replacement

from exactdp import Dom, Mechanism, eps, expmech, mechanism


def small_db(records: int = 2, size: int = 2, most: int = 2) -> Mechanism:
    """Pick a database of `size` records whose answers are close to the true ones.

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


if __name__ == "__main__":
    print(small_db().explain())
