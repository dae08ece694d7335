"""What Python's own rules are, one by one: the value is CPython's, or the program is refused."""

# ruff: noqa: E501

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from exactdp_next.errors import ExactdpError
from exactdp_next.language.arithmetics import EXACT
from exactdp_next.language.interpret import Interpreter, Returned
from exactdp_next.language.program import Program
from exactdp_next.language.values import plain, value_of


def run(text: str, **inputs: Any) -> object:
    """Run a program that does not sample."""
    program = Program.of(text)
    env = {x: value_of(v) for x, v in inputs.items()}
    found = Interpreter(program.code, EXACT).run(0, env)
    assert isinstance(found, Returned)
    return plain(found.output)


def function(body: str, inputs: str = "x: Dom(-3, 3)") -> str:
    """Return a program with these statements."""
    lines = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
    return f"def f({inputs}):\n{lines}\n"


VALUES = {
    "chained comparison, each side once": "return 0 < x + 1 <= 3 != x",
    "is": "return (x is None, None is None, (x > 0) is True)",
    "and, or as values": "return (x and 'yes', x or 'no', 0 or [] or 3, 1 and 2)",
    "integer and true division": "return (7 // 2, -7 // 2, 7 // -2, 7 % -3, -7 % 3, 6 / 4)",
    "negative modulo of the input": "return [(x - 5) % 3, (x - 5) // 3, divmod(-x, 2)]",
    "slices": "y = [x, 1, 2, 3]\nreturn (y[1:], y[::-1], y[-2:], y[:-1:2], 'abc'[::-1])",
    "unpacking": "(a, b), c = (x, 1), 2\n[d, e] = [c, a]\nreturn (a, b, c, d, e)",
    "swap": "a, b = x, 1\na, b = b, a\nreturn (a, b)",
    "chained assignment": "a = b = x + 1\nreturn (a, b)",
    "defaults are computed once": "k = 1\ndef g(a, b=k):\n    return a + b\nk = 5\nreturn g(x)",
    "closures read at the call": "k = 1\ndef g(a):\n    return a + k\nk = 5\nreturn g(x)",
    "shadowing by a parameter": "def g(x):\n    x = x + 1\n    return x\nreturn (g(2), x)",
    "shadowing by a comprehension": "y = [x for x in range(2)]\nreturn (x, y)",
    "a function where x is another": "def g(y):\n    return y + x\nreturn [g(x) for x in range(3)]",
    "keyword arguments": "def g(a, b=2, *, c=3):\n    return (a, b, c)\nreturn (g(c=x, a=1), g(1, 5))",
    "early return in a loop": "def g(n):\n    for i in range(9):\n        if i > n:\n            return i\n"
    "    return None\nreturn (g(x), g(20))",
    "for else": "for i in range(3):\n    if i == x:\n        break\nelse:\n    return 'none'\nreturn i",
    "while else": "i = 0\nwhile i < 3:\n    i += 1\n    if i == x:\n        break\nelse:\n    i = 9\nreturn i",
    "the loop variable may be assigned": "s = 0\nfor i in range(3):\n    s += i\n    i = 7\nreturn (s, i)",
    "a copy": "a = [x]\nb = list(a)\nb.append(1)\nreturn (a, b)",
    "rows that are made anew": "rows = []\nfor i in range(3):\n    row = []\n    row.append(i)\n"
    "    rows.append(row)\nreturn rows",
    "max takes the first": "return max([(1, x), (1, x)], key=lambda p: p[0])",
    "sorted is stable": "return sorted([3, 1, 4, 2], key=lambda y: y % 2)",
    "reverse is stable": "return sorted([3, 1, 4, 2], key=lambda y: y % 2, reverse=True)",
    "True is 1 and not 1": "return (True == 1, True + 1, str(True), {1: 'a'}[True])",
    "a list is no tuple": "return ([x] == (x,), [1] < [1, 2], (1, 2) < (1, 3))",
    "nested comprehension": "return [(i, j) for i in range(3) if i != x for j in range(i)]",
    "generators": "return (sum(i * i for i in range(4)), any(i > x for i in range(3)), all([]))",
    "zip stops": "return list(zip([1, 2, 3], 'ab'))",
    "range": "return list(range(5, x, -2))",
    "text": "return (str(x) + 'a' * 2, 'b' in 'abc', 'abc'.index('c'))",
    "table": "t = {i: i * i for i in range(3)}\nreturn (t[2], 1 in t, list(t.items()))",
    "augmented entries": "a = [1, 2]\na[x % 2] += 5\nreturn a",
    "a branch that assigns, twice": "if x > 0:\n    y = 1\nif x > 0:\n    return y\nreturn 0",
}


@pytest.mark.parametrize("name", VALUES)
def test_the_value_is_that_of_python(name: str) -> None:
    text = function(VALUES[name])
    for x in range(-3, 4):
        names: dict[str, Any] = {"Dom": lambda *_: None}
        exec(text, names)
        theirs = names["f"](x)
        assert run(text, x=x) == theirs, x
        assert repr(run(text, x=x)).replace("Fraction(3, 2)", "1.5") == repr(theirs), x


REFUSED = {
    "an alias is changed": ("a = [x]\nb = a\nb.append(1)\nreturn a", "L04", 4),
    "an alias by +=": ("a = [x]\nb = a\nb += [1]\nreturn a", "L04", 4),
    "two names at once": ("a = b = [x]\na.append(1)\nreturn b", "L04", 3),
    "a list in a list": ("a = [x]\nb = [a]\na.append(1)\nreturn b", "L04", 4),
    "an alias out of a tuple": ("a = [1, 2]\nb = (a, a)[0]\nb.append(1)\nreturn a", "L04", 4),
    "an alias by max": ("a = [1, 2]\nb = max([a, [0]])\nb.append(1)\nreturn a", "L04", 4),
    "an alias in a dictionary": ("a = [x]\nt = {0: a}\nb = t[0]\nb.append(1)\nreturn a", "L04", 5),
    "an alias in a copy of a list of lists": (
        "a = [1]\nb = list([a])\nc = b[0]\nc.append(1)\nreturn a",
        "L04",
        5,
    ),
    "an alias by zip": ("a = [1]\nfor b, c in zip([a], [2]):\n    b.append(c)\nreturn a", "L04", 4),
    "the same row again": (
        "row, rows = [], []\nfor i in range(3):\n    row.append(i)\n    rows.append(row)\nreturn rows",
        "L04",
        4,
    ),
    "a list that grows in its loop": ("a = [x]\nfor i in a:\n    a.append(i)\nreturn a", "L04", 4),
    "an entry changed in its loop": ("a = [x, 1]\nfor i in a:\n    a[1] = i\nreturn a", "L04", 4),
    "a default that is changed": (
        "def g(a, b=[]):\n    b.append(a)\n    return b\nreturn [g(1), g(2)]",
        "L04",
        3,
    ),
    "a generator used twice": ("g = (i for i in range(3))\nreturn sum(g) + sum(g)", "L07", 2),
    "an f-string": ("return f'{x}'", "P21", 2),
    "is of numbers": ("return x is 1", "P48", 2),
    "a function in a variable": ("g = abs\nreturn g(x)", "N12", 3),
    "a variable of one branch": ("if x > 0:\n    y = 1\nreturn y", "N03", 4),
    "an argument of a subroutine": (
        "def g(a):\n    a.append(1)\n    return len(a)\nb = [x]\nn = g(b)\nreturn (b, n)",
        "L04",
        3,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_differ_from_python_is_refused(name: str) -> None:
    body, code, line = REFUSED[name]
    with pytest.raises(ExactdpError) as caught:
        Program.of(function(body))
    assert (caught.value.code, caught.value.line) == (code, line)


def test_a_nested_quotient_is_exact() -> None:
    assert run(function("return x / 3 + 0.1 + 1 / 7"), x=1) == Fraction(1, 3) + Fraction(
        1, 10
    ) + Fraction(1, 7)
