"""The exponential mechanism: the candidate of the best score, privately (paper, section 3.2)."""

from exactdp import Dom, Mechanism, eps, expmech, mechanism


def median(values: int = 5, people: int = 3) -> Mechanism:
    """Return a value in 0 … values − 1 that splits the people's values most evenly.

    The score of a candidate is minus the difference between the numbers of people below
    and above it; one person changes it by at most 2.
    """

    def score(data: list[int], candidate: int) -> int:
        below = sum(1 for value in data if value < candidate)
        above = sum(1 for value in data if value > candidate)
        return -abs(below - above)

    @mechanism
    def median(data: Dom(0, values - 1)[people]):
        return expmech(eps / 4, lambda candidate: score(data, candidate), range(values))

    return median


def exponential(scores: int = 3, top: int = 3) -> Mechanism:
    """Return the index of a large input: each input is the score of its index."""

    @mechanism
    def exponential(u: Dom(0, top)[scores]):
        return expmech(eps, lambda v: u[v], range(scores))

    return exponential


if __name__ == "__main__":
    print(median().explain())
