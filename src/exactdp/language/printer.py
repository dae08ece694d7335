"""Print the program form as source, with `ast.unparse`; reading it gives the same program."""

from __future__ import annotations

import ast
import textwrap
from fractions import Fraction
from typing import Any

from exactdp.language.code import Appended, Augmented, Unpacked, Updated
from exactdp.language.terms import EpsTerm
from exactdp.language.tree import Choose, Definition, ExpMech, NoiseCall, Observe, rebuilt
from exactdp.language.values import List, Table, Value
from exactdp.language.words import NOISES


def show_value(value: Value) -> str:
    """Return a finite value as source."""
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return str(value.numerator)
        return f"Fraction({value.numerator}, {value.denominator})"
    if isinstance(value, List):
        return f"[{', '.join(map(show_value, value))}]"
    if isinstance(value, tuple):
        comma = "," if len(value) == 1 else ""
        return f"({', '.join(map(show_value, value))}{comma})"
    if isinstance(value, Table):
        inside = ", ".join(f"{show_value(key)}: {show_value(item)}" for key, item in value.items())
        return f"{{{inside}}}"
    if isinstance(value, float):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, EpsTerm):
        return str(value)
    return repr(value)


def show(node: ast.AST) -> str:
    """Return an expression as source."""
    return ast.unparse(_printable(node))


def _text(word: str) -> ast.expr:
    """Return a node that is printed verbatim; a sign binds as in Python."""
    sign = word.startswith("-")
    return ast.UnaryOp(ast.USub(), _text(word[1:])) if sign else ast.Name(word, ast.Load())


def _bare(node: Any) -> Any:
    """Return an expression without the optional parentheses of a tuple."""
    if not isinstance(node, ast.Tuple) or len(node.elts) < 2:
        return _printable(node)
    return _text(", ".join(map(show, node.elts)))


def _printable(node: Any) -> Any:
    """Return a tree that Python prints in the syntax of the language."""
    match node:
        case ast.Constant(value, kind):
            return _text(kind or _spelled(value))
        case ast.Name(name):
            return _text(name.partition("()")[0])
        case NoiseCall(noise, rate, mean, by_scale):
            first, second = ("scale=", f"{NOISES[noise].second}=") if by_scale else ("", "")
            return _text(f"{noise}({first}{show(rate)}, {second}{show(mean)})")
        case ExpMech():
            given = ", ".join(map(show, ast.iter_child_nodes(node)))
            return _text(f"expmech({given})")
        case Observe(test):
            return _text(f"observe({show(test)})")
        case Choose(outcomes, table):
            return _text(f"choose({_table(outcomes) if table is None else show(table)})")
        case ast.Call(ast.Name("dict"), [ast.List(pairs)], []) if all(map(_is_pair, pairs)):
            return _text(_table(pairs))
        case ast.Call(ast.Name("dict"), [ast.GeneratorExp(ast.Tuple([key, value]), clauses)], []):
            return ast.DictComp(_printable(key), _printable(value), [*map(_printable, clauses)])
        case ast.Call(function, [ast.GeneratorExp() as only], []):
            return _text(f"{show(function)}{show(only)}")
        case ast.comprehension(target, items, tests):
            conditions = list(map(_printable, tests))
            return ast.comprehension(_bare(target), _printable(items), conditions, 0)
        case ast.Assign(targets, value):
            return ast.Assign(list(map(_bare, targets)), _bare(value))
        case ast.AnnAssign(target, ast.Constant(kind), value):
            return ast.AnnAssign(_printable(target), _text(str(kind)), _bare(value), 1)
        case ast.AugAssign(target, op, value):
            return ast.AugAssign(_printable(target), op, _bare(value))
        case ast.For(target, items, body, otherwise):
            own, after = list(map(_printable, body)), list(map(_printable, otherwise))
            return ast.For(_bare(target), _bare(items), own, after)
        case ast.Return(value):
            return ast.Return(_bare(value))
        case Appended(base, item):
            return _text(f"{show(base)} + [{show(item)}]")
        case Augmented(base, op, value):
            return ast.BinOp(_printable(base), op, _printable(value))
        case Updated(base, index, value):
            return _text(f"{show(base)} with [{show(index)}] = {show(value)}")
        case Unpacked(value):
            return _printable(value)
    return rebuilt(node, _printable)


def _is_pair(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple) and len(node.elts) == 2


def _table(pairs: list[Any]) -> str:
    """Return pairs as a dictionary display."""
    return "{" + ", ".join(": ".join(map(show, pair.elts)) for pair in pairs) + "}"


def _spelled(value: Value) -> str:
    """Return a value as source, a fraction as a decimal if it is one."""
    below = value.denominator if isinstance(value, Fraction) else 1
    places = next((k for k in range(below.bit_length()) if 10**k % below == 0), 0)
    if not places:
        return show_value(value)
    digits = str(abs(value.numerator) * 10**places // below).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def print_definition(definition: Definition) -> str:
    """Return a definition as source: constants, subroutines, then the function itself.

    Python functions cannot be printed; a comment names them, and they must be passed
    again as constants when the text is read.
    """
    lines: list[str] = []
    parts: list[str] = []
    for name, value in sorted(definition.constants.items()):
        if isinstance(value, Definition):
            parts.append(print_definition(value))
        elif callable(value):
            lines.append(f"# {name} is a Python function")
        elif "." in name:
            lines.append(f"# {name} is {show_value(value)}")
        else:
            lines.append(f"{name} = {show_value(value)}")
    if lines:
        parts.insert(0, "\n".join(lines))
    params = ", ".join(
        param.name if param.type is None else f"{param.name}: {param.type}"
        for param in definition.params
    )
    body = ast.Module([_printable(node) for node in definition.body], [])
    text = textwrap.indent(ast.unparse(ast.fix_missing_locations(body)), "    ")
    head = f"def {definition.name}({params}):"
    if definition.epsilon is not None:
        on = definition.epsilon
        left, right = "[("[on.lower_open], "])"[on.upper_open]
        head = f'@mechanism(epsilon="{left}{on.lower}, {on.upper}{right}")\n{head}'
    return "\n\n".join((*parts, f"{head}\n{text}"))
