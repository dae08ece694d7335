"""Size of the error, its probability, and ε: given two, compute the third, for four mechanisms."""

from exactdp import ErrorBound, Mechanism

COUNT = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
BINS = Mechanism.from_source("def bins(q: Real[3]): return [lap(eps, x) for x in q]")
WHOLE = Mechanism.from_source("def whole(x: Dom(0, 9)): return dlap(eps, x)")
LARGER = Mechanism.from_source(
    "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
)


def main() -> None:
    """Print the answers."""
    goal = ErrorBound(COUNT, within=10, risk="5%")
    print("One number:", goal.smallest_epsilon().sentence)
    print(goal.risk(eps=1))
    print(ErrorBound(COUNT, risk="5%").smallest_within(eps=1))
    print(goal.check(eps="1/4").sentence)
    print()
    together = ErrorBound(BINS, within=10, risk="5%").smallest_epsilon()
    each = ErrorBound(BINS, within=10, risk="5%", simultaneous=False).smallest_epsilon()
    print(f"Three numbers: all at once need ε = {float(together):.4f}, each {float(each):.4f}.")
    print("Whole numbers:", ErrorBound(WHOLE, risk="5%").smallest_within(eps=1))
    print()
    pick = ErrorBound(LARGER, within=0, risk="5%", inputs=[[0, 2], [3, 3], [4, 0]])
    print("A selection:", pick.smallest_epsilon().sentence)
    print(pick.risk(eps=2))


if __name__ == "__main__":
    main()
