"""The files that `exactdp new` writes: one for each kind of mechanism."""

from __future__ import annotations

_CHECKERS = """\
# Annotations such as Real[3] are read by exactdp; type checkers do not know them.
# mypy: disable-error-code="valid-type, no-untyped-def, index, attr-defined"
# pyright: reportInvalidTypeForm=false
"""

_HEAD = '"""Is {name} as accurate as it should be? Check with: exactdp check {file}"""\n\n'

_READ = """\
# A mechanism is a Python function that exactdp reads and never runs. It may use if, while, for over
# a constant range, lists, and noise: lap, dlap, expo, expmech, choose.
"""

_COUNT = '''\
from exactdp import ErrorBound, Real, eps, lap, mechanism


{read}@mechanism
def {name}(count: Real):
    """Return a count with noise."""
    return lap(eps, count)  # lap(rate, mean): here the scale is 1/eps


# Off by more than 10 in at most 5 % of all runs, for every eps of at least 1/2. The error is the
# same at every input, so none need be given.
goal = ErrorBound({name}, within=10, risk="5%", epsilon="[1/2, inf)")

# What else can be asked:
#   exactdp error {file} --within 10 --risk 5%   the smallest eps
#   exactdp error {file} --within 10 --eps 1     how often?
#   exactdp error {file} --risk 5% --eps 1       how far off?
'''

_HISTOGRAM = '''\
from exactdp import ErrorBound, Real, eps, lap, mechanism

M = 3  # the number of bins


{read}@mechanism
def {name}(bins: Real[M]):
    """Return each bin with noise of its own."""
    return [lap(eps, one) for one in bins]


# All bins at once are within 10 of the truth in at least 95 % of all runs.
together = ErrorBound({name}, within=10, risk="5%", epsilon="[1/2, inf)")

# Each bin by itself, which needs less.
each = ErrorBound({name}, within=10, risk="5%", epsilon="[1/2, inf)", simultaneous=False)

# What else can be asked:
#   exactdp error {file} --within 10 --risk 5%          the smallest eps for all bins
#   exactdp error {file} --within 10 --risk 5% --each   the smallest eps for each bin
'''

_SELECTION = '''\
from exactdp import Accuracy, AllReals, Grid, Real, alpha, eps, exp, lap, mechanism

M = 3  # the number of queries


{read}@mechanism
def {name}(q: Real[M]):
    """Return the index of the largest answer, after adding noise to each."""
    best, top = 0, lap(eps / 2, q[0])  # lap(rate, mean): here the scale is 2/eps
    for i in range(1, M):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best


# A claim: at an input that is more than alpha away from another ideal answer, the output is wrong
# with probability at most beta. The ideal is the mechanism without its noise.
on_a_grid = Accuracy({name}, beta=M * exp(-alpha * eps / 2), inputs=Grid(-1, 1))

# The same for all real inputs at once.
everywhere = Accuracy({name}, beta=M * exp(-alpha * eps / 2), inputs=AllReals())

# What else can be asked:
#   exactdp tighten {file}::on_a_grid             how much better is it really?
#   exactdp epsilon {file}::on_a_grid --beta 10%  which eps gives at most 10 % errors?
#   exactdp error {file} --within 5 --eps 1 --inputs all   how often is the choice worse by 5?
#   exactdp probability {file}::{name} --input '[1, 0, 0]' --at 1
#   exactdp simulate {file}::{name} --input '[1, 0, 0]' --eps 1
'''

_THRESHOLD = '''\
from exactdp import Accuracy, AllReals, ErrorBound, Real, alpha, eps, exp, lap, mechanism

M = 2  # the number of queries


{read}@mechanism
def {name}(q: Real[M]):
    """Say for each answer whether it is below 0, and stop at the first that is not."""
    threshold = lap(eps / 2, 0)
    out = []
    for i in range(M):
        above = lap(eps / 4, q[i]) >= threshold
        out.append(above)
        if above:
            break
    return out


# A claim: if every answer is more than alpha away from the threshold, the output is wrong with
# probability at most beta.
lemma = Accuracy({name}, beta=2 * M * exp(-alpha * eps / 8), inputs=AllReals())

# At two inputs that matter: wrong in at most 5 % of all runs, for every eps of at least 2.
clear = ErrorBound({name}, within=0, risk="5%", inputs=[[-10, 10], [-10, -10]], epsilon="[2, inf)")

# What else can be asked:
#   exactdp tighten {file}::lemma                 how much better is it really?
#   exactdp error {file} --within 0 --risk 5% --inputs '[[-10, 10]]'   the smallest eps
'''

_RESPONSE = '''\
from exactdp import Accuracy, choose, eps, exp, ideal, mechanism


{read}@mechanism
def {name}(truth: bool):
    """Return the truth with probability e^eps / (e^eps + 1), else the opposite."""
    return choose({{truth: exp(eps) / (exp(eps) + 1), not truth: 1 / (exp(eps) + 1)}})


# `choose` has no noise to leave out, so the right answer is written down.
@ideal
def right(truth: bool):
    """Return the truth."""
    return truth


# Wrong with probability 1/(e^eps + 1), which is less than e^-eps.
bound = Accuracy({name}, beta=exp(-eps), ideal=right)

# What else can be asked:
#   exactdp tighten {file}::bound                 how much better is it really?
#   exactdp epsilon {file}::bound --beta 5%       which eps gives at most 5 % lies?
#   exactdp probability {file}::{name} --input True --at 1
'''

KINDS = {
    "selection": _SELECTION,
    "count": _COUNT,
    "histogram": _HISTOGRAM,
    "threshold": _THRESHOLD,
    "response": _RESPONSE,
}
"""The available kinds; the first is the default."""


def starter(kind: str, name: str, file: str) -> str:
    """Return a commented file with a mechanism of a kind, and claims that hold."""
    text = KINDS[kind].format(name=name, file=file, read=_READ)
    return _HEAD.format(name=name, file=file) + _CHECKERS + "\n" + text
