"""What is refused, and that each refusal has a place, a message and (where it helps) a way out."""

from __future__ import annotations

import ast
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import exactdp.language
from exactdp import Ideal, Mechanism
from exactdp.errors import ExactdpError, ProgramError

REAL = "def f(q: Real):\n"
NONE = "def f():\n"
DOM = "def f(x: Dom(0, 1)):\n"

#: name: (source, what the message says, (line, column))
CASES: dict[str, tuple[str, str, tuple[int, int]]] = {
    "real in while": (
        "def f(q: Real[2]):\n    t = 0\n    i = 0\n    while i < 2:\n"
        "        t = t + lap(eps / 2, q[i])\n        i += 1\n    return t\n",
        "a real variable cannot be assigned inside a while loop",
        (5, 9),
    ),
    "real copied in while": (
        REAL + "    t = 0\n    go = True\n    while go:\n        t = t + q\n"
        "        go = False\n    return t\n",
        "a real variable cannot be assigned inside a while loop",
        (5, 9),
    ),
    "integer noise in while": (
        NONE + "    z = 0\n    while True:\n        z = z + dlap(eps, 0)\n"
        "        if z > 0:\n            return 1\n",
        "an integer noise variable cannot be assigned inside a while loop",
        (4, 9),
    ),
    "sample in while through a subroutine": (
        "def noise(x):\n    return lap(eps, x)\n" + REAL + "    x = 0\n    while x < 3:\n"
        "        x = x + noise(q)\n    return 1\n",
        "noise cannot be sampled inside a while loop",
        (2, 12),
    ),
    "product": (REAL + "    return q * q\n", "a real cannot be multiplied by a real", (2, 12)),
    "division": (REAL + "    return [1] / q\n", "a list cannot be divided by a real", (2, 12)),
    "floor": (REAL + "    return 1 // q\n", "a real has no //", (2, 12)),
    "power": (REAL + "    return q ** 2\n", r"a real has no \*\*", (2, 12)),
    "index": (
        NONE + "    xs = [1, 2]\n    return xs[dlap(eps, 0)]\n",
        "an unbounded integer cannot be an index",
        (3, 15),
    ),
    "slice": (REAL + "    return [1, 2][q:]\n", "a real cannot be an index", (2, 19)),
    "loop bound": (
        NONE + "    n = 0\n    for i in range(dlap(eps, 1)):\n        n += i\n    return n\n",
        "an unbounded integer cannot bound a loop",
        (3, 20),
    ),
    "loop over noise": (
        REAL + "    for x in q:\n        pass\n    return 1\n",
        "a loop cannot iterate over a real",
        (2, 14),
    ),
    "key": (NONE + "    return choose({lap(eps, 0): 1})\n", "a real cannot be a key", (2, 20)),
    "condition": (
        REAL + "    while q:\n        pass\n    return 1\n",
        "a real is not a condition",
        (2, 11),
    ),
    "if": (
        REAL + "    if q:\n        return 1\n    return 0\n",
        "a real is not a condition",
        (2, 8),
    ),
    "and": (REAL + "    x = q and 1\n    return 0\n", "a real is not a condition", (2, 9)),
    "not": (REAL + "    return not q\n", "a real is not a condition", (2, 16)),
    "any": (REAL + "    return any([q])\n", "a real is not a condition", (2, 16)),
    "rounding": (REAL + "    return round([q])\n", "a list cannot be rounded", (2, 18)),
    "rate eps squared": (NONE + "    return lap(eps * eps, 0)\n", "is not a rate", (2, 16)),
    "rate 0": (NONE + "    return lap(0 * eps, 0)\n", r"the rate 0 \* eps is 0", (2, 16)),
    "rate negative": (NONE + "    return lap(-eps / 2, 0)\n", "is negative", (2, 16)),
    "rate without eps": (NONE + "    return lap(2, 0)\n", "2 is not a rate", (2, 16)),
    "scale as rate": (NONE + "    return lap(2 / eps, 0)\n", "is not a rate", (2, 16)),
    "rate as scale": (NONE + "    return lap(scale=eps, mean=0)\n", "is not a scale", (2, 22)),
    "rate of expmech": (
        NONE + "    return expmech(3, abs, [1])\n",
        "3 is not a rate",
        (2, 20),
    ),
    "unassigned on a path": (
        DOM + "    if x == 0:\n        y = 1\n    return y\n",
        "y is read before it is assigned when `x == 0` on line 2 is false",
        (4, 12),
    ),
    "unassigned after a loop": (
        DOM + "    for i in range(x):\n        y = 1\n    return y\n",
        "y is read before it is assigned when the loop on line 2 ends",
        (4, 12),
    ),
    "never assigned": (NONE + "    y = y + 1\n    return y\n", "y is read before", (2, 9)),
    "shape": (
        DOM + "    if x == 0:\n        return lap(eps, 0)\n    return [lap(eps, 0), 1]\n",
        "the shape of the output cannot be determined",
        (4, 12),
    ),
    "no return": (
        DOM + "    if x == 0:\n        return 1\n",
        "f ends without `return` when `x == 0` on line 2 is false",
        (1, 1),
    ),
    "no body": (DOM + '    "only words"\n', "f returns nothing", (1, 1)),
    "negative probability": (
        NONE + "    return choose({0: 1 - exp(eps), 1: exp(eps)})\n",
        "the probability of 0 is negative at eps = ",
        (2, 12),
    ),
    "probabilities that do not sum to 1": (
        NONE + "    return choose({0: exp(-eps), 1: exp(-eps)})\n",
        "do not sum to 1: .* at eps = 1",
        (2, 12),
    ),
    "constant probabilities": (
        NONE + "    return choose({0: 0.3, 1: 0.6})\n",
        "the probabilities sum to 9/10",
        (2, 12),
    ),
    "the same value twice": (
        NONE + "    return choose({1: 0.5, 1: 0.5})\n",
        "lists the value 1 twice",
        (2, 12),
    ),
    "no candidates": (
        NONE + "    return expmech(eps, lambda v: v, [])\n",
        "the list of candidates is empty",
        (2, 38),
    ),
    "unknown function": (NONE + "    return frobnicate(3)\n", "frobnicate is not known", (2, 12)),
    "print": (NONE + "    print(3)\n    return 1\n", "print is not in the language", (2, 5)),
    "recursion": (DOM + "    return f(x)\n", "f calls itself", (2, 12)),
    "mutual recursion": (
        "def g(x):\n    return f(x)\n" + DOM + "    return g(x)\n",
        "f is not known",
        (2, 12),
    ),
    "unrolled too far": (
        NONE + "    n = 0\n    for i in range(10**9):\n        n += 1\n    return n\n",
        "iterates more than 100,000 times",
        (3, 5),
    ),
    "nested loops too far": (
        NONE + "    n = 0\n    for i in range(999):\n        for j in range(999):\n"
        "            n += 1\n    return n\n",
        "iterates more than 100,000 times",
        (4, 9),
    ),
    "alias": (
        NONE + "    a = []\n    b = a\n    b.append(1)\n    return a, b\n",
        "b may be the same list as a",
        (4, 5),
    ),
    "list changed in its own loop": (
        NONE + "    a = [1]\n    for x in a:\n        a.append(x)\n    return a\n",
        "a may be the same list as the loop around it",
        (4, 9),
    ),
    "alias through a tuple": (
        NONE + "    a = []\n    t = (a, 1)\n    a.append(1)\n    return t\n",
        "a may be the same list as t",
        (4, 5),
    ),
    "alias by +=": (
        NONE + "    a = [1]\n    b = a\n    b += [2]\n    return a\n",
        "b may be the same list as a",
        (4, 5),
    ),
    "changed input": (
        "def f(q: Real[2]):\n    q[0] = 1\n    return q\n",
        "q may be an input or a constant and cannot be changed",
        (2, 5),
    ),
    "list changed while zipped": (
        NONE + "    a = [1]\n    for x, y in zip(a, a):\n        a.append(x)\n    return a\n",
        "a may be the same list as the loop around it",
        (4, 9),
    ),
    "iterator as a value": (
        NONE + "    z = zip([1], [2])\n    return 1\n",
        "zip gives its items only once",
        (2, 9),
    ),
    "generator as a value": (
        NONE + "    z = (i for i in range(2))\n    return 1\n",
        "a generator gives its items only once",
        (2, 9),
    ),
    "list in a list": (
        NONE + "    a = [[1]]\n    a[0][0] = 1\n    return a\n",
        "a list inside a list cannot be changed",
        (3, 5),
    ),
    "lambda that samples": (
        NONE + "    return expmech(eps, lambda v: lap(eps, v), [1, 2])\n",
        "a lambda cannot sample",
        (2, 25),
    ),
    "score of integer noise": (
        NONE + "    z = dlap(eps, 0)\n    return expmech(eps, lambda v: z * v, [1, 2])\n",
        "a score cannot depend on an unbounded integer",
        (3, 12),
    ),
    "score of a rounded real": (
        "def f(q: Real):\n    return expmech(eps, lambda v: round(q) * v, [1, 2])\n",
        "a score cannot depend on an unbounded integer",
        (2, 12),
    ),
    "lambda as a value": (
        NONE + "    x = lambda: 1\n    return x\n",
        "a lambda can only be",
        (2, 9),
    ),
    "branch on eps": (
        NONE + "    if eps > 1:\n        return 1\n    return 0\n",
        "eps is not known",
        (2, 8),
    ),
    "eps returned": (REAL + "    return (lap(eps, q), eps)\n", "eps is not known", (2, 12)),
    "eps with noise": (NONE + "    return lap(eps, 0) * eps\n", "combined with eps", (2, 12)),
    "dlap of a real": (
        REAL + "    return dlap(eps, q)\n",
        "the mean of dlap is an integer",
        (2, 22),
    ),
    "dlap of a half": (NONE + "    return dlap(eps, 0.5)\n", "not an integer", (2, 22)),
    "mean None": (NONE + "    return lap(eps, None)\n", "which is not a number", (2, 21)),
    "mean list": (NONE + "    return lap(eps, [1])\n", "a number, not a list", (2, 21)),
    "input type": ("def f(q: int):\n    return 1\n", "not the type of an input", (1, 10)),
    "empty domain": ("def f(q: Dom(3, 1)):\n    return 1\n", "is empty", (1, 10)),
    "length unknown": ("def f(q: Real[m]):\n    return 1\n", "m is not known", (1, 15)),
    "length negative": ("def f(q: Real[-1]):\n    return 1\n", "not a length", (1, 10)),
    "syntax": ("def f(q: Real[m]:\n    return 1\n", "this is not Python", (1, 17)),
    "lists compared": (
        NONE + "    return [lap(eps, 0)] == [1]\n",
        "lists that hold a real cannot be compared",
        (2, 12),
    ),
    "declared domain": (
        NONE + "    x: Dom(0, 1) = lap(eps, 0)\n    return x\n",
        r"x is Dom\(0, 1\), and a real is not",
        (2, 5),
    ),
    "argument missing": (
        "def g(a, b):\n    return a\n" + NONE + "    return g(1)\n",
        "g needs b",
        (4, 12),
    ),
    "argument too many": (NONE + "    return lap(eps, 0, 1)\n", "one argument too many", (2, 24)),
    "no rate": (NONE + "    return lap()\n", "lap needs a rate or a scale", (2, 12)),
    "split": (NONE + "    a, b = lap(eps, 0)\n    return a\n", "cannot be split", (2, 5)),
    "split count": (NONE + "    a, b = (1, 2, 3)\n    return a\n", "3 values cannot be", (2, 5)),
    "effect": (NONE + "    1 + 1\n    return 1\n", "an expression alone has no effect", (2, 5)),
    "eps as a variable": (NONE + "    eps = 1\n    return eps\n", "the privacy budget", (2, 5)),
    "function as a value": (NONE + "    x = len\n    return 1\n", "function", (2, 9)),
    "break outside": (NONE + "    break\n    return 1\n", "break", (2, 5)),
    "statement at top": (
        "x += 1\n" + NONE + "    return 1\n",
        "constants and functions only",
        (1, 1),
    ),
    "nothing": ("", "there is no `def`", (1, 1)),
    "deep": (NONE + "    return " + "-" * 150 + "1\n", "nested too deeply", (2, 131)),
}

#: Constructs of Python that are not in the language, each named.
OUTSIDE = {
    "class A: pass": "a class",
    "try:\n        x = 1\n    finally:\n        pass": "try",
    "with a as b: pass": "with",
    "import math": "an import",
    "from math import pi": "an import",
    "global x": "global",
    "nonlocal x": "nonlocal",
    "yield 1": "yield",
    "x = yield 1": "yield",
    "yield from y": "yield from",
    "await x": "await",
    "x = [*y]": "a starred expression",
    "a, *b = [1, 2]": "a starred expression",
    "x = (y := 3)": "an assignment inside an expression",
    "x = f'{1}'": "a formatted string",
    "x = 1 @ 2": "the operator @",
    "x = ~1": "the operator ~",
    "@g\n    def h(): pass": "a decorator inside a mechanism",
    "async def g(): pass": "an async function",
    "async for a in b: pass": "an async loop",
    "del x": "del",
    "raise E": "raise",
    "x = {1}": "a set",
    "x = {a for a in b}": "a set comprehension",
    "x = 1j": "a complex number",
    "x = b'a'": "bytes",
    "match 1:\n        case 1: pass": "match",
    "x = q.real": "the attribute real",
    "x = 'a'.upper()": "the method upper",
    "g(**k)": r"\*\* in a call",
}


def refused(text: str, cls: type[Mechanism] = Mechanism, **constants: Any) -> ProgramError:
    with pytest.raises(ProgramError) as caught:
        cls.from_source(text, constants=constants, name="wrong.py")
    return caught.value


@pytest.mark.parametrize("name", CASES)
def test_refused_with_its_place(name: str) -> None:
    text, message, (line, column) = CASES[name]
    error = refused(text)
    error_message = error.message
    assert re.search(message, error_message), error_message
    assert (error.line, error.column) == (line, column), str(error)
    assert str(error).startswith(f"wrong.py:{line}:{column}: ")
    assert error.rule
    assert error.way_out


@pytest.mark.parametrize("statement", OUTSIDE)
def test_python_outside_the_language_is_named(statement: str) -> None:
    error = refused(f"def f(q: Real):\n    {statement}\n    return 1\n")
    assert re.search(OUTSIDE[statement], error.message), error.message
    assert "is not in the language" in error.message or "are not in" in error.message
    assert error.line == 2
    assert error.rule
    assert error.way_out


@pytest.mark.parametrize(
    ("header", "message"),
    [("*a", r"\*args"), ("**a", r"\*\*kwargs"), ("a: Real = 1", "default")],
)
def test_headers(header: str, message: str) -> None:
    assert re.search(message, refused(f"def f({header}):\n    return 1\n").message)


def test_the_message_of_the_design() -> None:
    """The text as DESIGN section 6 shows it, and where to read more."""
    text = (
        "def noisy_sum(q: Real[3]):\n    total = 0\n    i = 0\n    while i < 3:\n"
        "        total = total + lap(eps / 2, q[i])\n        i += 1\n    return total\n"
    )
    assert str(refused(text)) == (
        "wrong.py:5:9: a real variable cannot be assigned inside a while loop\n"
        "    5 |         total = total + lap(eps / 2, q[i])\n"
        "      |         ^^^^^\n"
        "DiPWhile+ assigns reals a bounded number of times (paper, section 5.2).\n"
        "Use `for i in range(<constant>)`, which is unrolled.\n"
        "Example: exactdp help R01"
    )


def test_words_bound_to_something_else() -> None:
    assert "bound to 3" in refused(NONE + "    return lap(eps, 0)\n", eps=3).message
    error = refused(NONE + "    return choose({0: exp(-eps), 1: 1 - exp(-eps)})\n", exp=math.exp)
    assert "exp is a word of the language, but" in error.message
    assert "lap is a word" in refused(NONE + "    return lap(eps, 0)\n", lap=abs).message


def test_constants() -> None:
    assert "X cannot be a constant" in refused(NONE + "    return X\n", X=object()).message
    assert "nan" in refused(NONE + "    return X\n", X=math.nan).message
    assert "is not a function" in refused(NONE + "    return X(1)\n", X=3).message
    assert "cannot be changed" in refused(NONE + "    X.append(1)\n    return 1\n", X=[1]).message
    assert "cannot be changed" in refused(NONE + "    X[0] = 1\n    return 1\n", X=[1]).message
    error = refused(REAL + "    return g(q)\n", g=abs.__class__)
    assert "cannot be called with a real" in error.message


def test_a_table_is_not_read_by_noise() -> None:
    error = refused(NONE + "    return T[dlap(eps, 0)]\n", T={0: 1})
    assert "an unbounded integer cannot be an index or a key" in error.message


def test_an_ideal_may_not_sample() -> None:
    error = refused(NONE + "    return lap(eps, 0)\n", cls=Ideal)
    assert "samples, and an ideal may not" in error.message
    text = "def g(x):\n    return lap(eps, x)\n" + NONE + "    return g(1)\n"
    assert refused(text, cls=Ideal).line == 2


def running(text: str, u: Any = (), **constants: Any) -> ProgramError:
    mechanism = Mechanism.from_source(text, constants=constants)
    with pytest.raises(ProgramError) as caught:
        mechanism.run(u, 1)
    assert caught.value.line is not None
    assert caught.value.rule
    assert caught.value.way_out
    return caught.value


def test_errors_of_a_run_have_a_place() -> None:
    """What depends on finite values is found when they are known, with the place."""
    assert (
        "an assertion failed: odd"
        in running(DOM + "    assert x == 1, 'odd'\n    return x\n", 0).message
    )
    assert "division by zero" in running(DOM + "    return 1 / x\n", 0).message
    assert "index out of range" in running(DOM + "    return [1][x]\n", 1).message
    assert "is 0" in running(DOM + "    return lap(x * eps, 0)\n", 0).message
    assert (
        "negative"
        in running(
            DOM + "    p = x * exp(-eps)\n    return choose({0: 1 - 3 * p, 1: 3 * p})\n", 1
        ).message
    )
    assert "is outside" in running(DOM + "    y: Dom(0, 1) = x + 1\n    return y\n", 1).message
    assert "empty" in running(DOM + "    return expmech(eps, lambda v: v, range(x))\n", 0).message
    assert (
        "never ends" in running(DOM + "    while x == 0:\n        pass\n    return x\n", 0).message
    )
    error = running(DOM + "    n = 0\n    while x == 0:\n        n += 1\n    return n\n", 0)
    assert "without sampling" in error.message
    assert "more than" in running(DOM + "    return [0] * 10**9 * x\n", 1).message
    assert "bits" in running(DOM + "    return (x + 2) ** 10**9\n", 1).message
    assert (
        "100,000"
        in running(
            DOM + "    n = 0\n    for i in range(10**7 * x):\n        n = 1\n    return n\n", 1
        ).message
    )


def test_errors_of_python_functions_have_a_place() -> None:
    def broken(x: int) -> int:
        raise KeyError(x)

    def vague(x: int) -> float:
        return x + 0.1

    def strange(x: int) -> object:
        del x
        return object()

    assert "g raised KeyError" in running(DOM + "    return g(x)\n", 0, g=broken).message
    assert "is not exact" in running(DOM + "    return g(x)\n", 0, g=vague).message
    assert "not a finite value" in running(DOM + "    return g(x)\n", 0, g=strange).message
    text = DOM + "    return expmech(eps, g, [1, 2])\n"
    assert "g returned" in running(text, 0, g=vague).message
    assert "not a rational number" in running(text, 0, g=str).message
    assert running(text, 0, g=lambda v: Fraction(1, v - 1)).line == 2


def test_every_error_is_raised_with_rule_and_way_out() -> None:
    """No place in the sources leaves them out, also those that no other test reaches."""
    rooms = Path(exactdp.language.__file__).parents[1]
    files = sorted((rooms / "language").glob("*.py"))
    for file in [*files, rooms / "semantics" / "concrete.py", rooms / "public" / "mechanism.py"]:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                given = {keyword.arg for keyword in node.keywords}
                if node.func.id in ("ProgramError", "ValueRefusedError"):
                    assert {"rule", "way_out"} <= given, f"{file.name}:{node.lineno}"


def test_dictionaries_are_read_only_and_finite() -> None:
    assert "cannot hold a real" in refused(REAL + "    return {0: q}[0]\n").message
    assert "cannot be changed" in running(NONE + "    d = {}\n    d[1] = 2\n    return d\n").message
    alias = "    xs = []\n    d = {0: xs}\n    xs.append(1)\n    return d[0]\n"
    assert "xs may be the same list as d" in refused(NONE + alias).message
    assert "a list cannot be a key" in running(DOM + "    return {[x]: 1}\n", 1).message


def test_extending_a_constant() -> None:
    error = refused(NONE + "    X.extend([1])\n    return 1\n", X=[1])
    assert "cannot be changed" in error.message


def test_bits_are_of_finite_values() -> None:
    assert "a real has no &" in refused(REAL + "    return q & 1\n").message
    assert "bits" in running(DOM + "    return (x + 1) << 10**9\n", 1).message
    assert "whole numbers" in running(DOM + "    return (x / 2) | 1\n", 1).message


def test_every_error_is_one_family() -> None:
    assert issubclass(ProgramError, ExactdpError)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return lap(eps, q[2]) > 0", "2:21: list index out of range"),
        ("a = q[-3]\n    return a > 0", "2:9: list index out of range"),
        ("return [5, 7][2] if q[0] > 1 / 0 else 0", "2:32: division by zero"),
        ("return {0: 1}[3]", "2:12: 3 is not in the table"),
        ("return choose({x: 1/2, 2: 1/4})", "2:12: the probabilities sum to 3/4"),
        ("return choose({x: 3/2, 2: -1/2})", "2:12: the probability of 2 is negative"),
        ("return choose({x: 1 + eps, 2: -eps})", "2:12: the probability of 2 is negative at eps"),
        ("return choose({x: -eps, 2: 1 + eps})", "2:12: the probability of x is negative at eps"),
        ("return choose({x: 1/2, 2: exp(eps)/2})", "2:12: the probabilities do not sum to 1"),
        ("return choose({x + 1/3: 'a', 2: 1})", "2:12: the probability of x + 1/3 is 'a'"),
        ("return choose({x: 1/2, x: 1/2})", "2:12: choose lists the value x twice"),
    ],
)
def test_what_every_run_comes_to_is_refused_at_once(body: str, said: str) -> None:
    with pytest.raises(ProgramError, match=re.escape(f"<mechanism>:{said}")):
        Mechanism.from_source(f"def f(q: Real[2], x: Dom(0, 1)):\n    {body}\n")


@pytest.mark.parametrize(
    "body",
    [
        "if q[0] > 5:\n        return q[7]\n    return 0",
        "return q[7] if x > 5 else 0",
        "return x > 5 and q[7] > 0",
        "return 0 > x > 1 / 0",
        "return [1 / 0 for i in range(x)]",
        "assert x >= 0, [1][5]\n    return x",
    ],
)
def test_what_no_run_comes_to_is_not_refused(body: str) -> None:
    mechanism = Mechanism.from_source(f"def f(q: Real[2], x: Dom(0, 1)):\n    {body}\n")
    assert mechanism.run(([0, 0], 0)) in (0, False, ())
