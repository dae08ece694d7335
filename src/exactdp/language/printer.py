"""Program form to source: reading what is printed gives the same program."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from exactdp.language.code import Appended, Augmented, PureExpr, Unpacked, Updated
from exactdp.language.definition import Definition
from exactdp.language.syntax import (
    Append,
    Assert,
    Assign,
    Augment,
    Binary,
    Boolean,
    Call,
    Choose,
    Clause,
    Comparison,
    Comprehension,
    Conditional,
    Draw,
    ExpMech,
    For,
    Function,
    If,
    Index,
    Lambda,
    Literal,
    Method,
    Name,
    Node,
    Pattern,
    Return,
    Sequence,
    Simple,
    Slice,
    Stmt,
    Targets,
    Unary,
    While,
)
from exactdp.language.terms import EpsTerm
from exactdp.language.values import List, Table, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

# How tightly each expression binds, from loose to tight.
_LAMBDA, _CONDITIONAL, _OR, _AND, _NOT, _COMPARE = range(6)
_BIT_OR, _BIT_XOR, _BIT_AND, _SHIFT, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(6, 15)
_BINDING = {
    "|": _BIT_OR,
    "^": _BIT_XOR,
    "&": _BIT_AND,
    "<<": _SHIFT,
    ">>": _SHIFT,
    "+": _SUM,
    "-": _SUM,
    "*": _PRODUCT,
    "/": _PRODUCT,
    "//": _PRODUCT,
    "%": _PRODUCT,
    "**": _POWER,
}


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


def show(node: PureExpr, outer: int = 0) -> str:
    """Return an expression as source, in brackets if `outer` binds more tightly."""
    text, binding = _show(node)
    return f"({text})" if binding < outer else text


def _show(node: PureExpr) -> tuple[str, int]:
    match node:
        case Literal():
            return _literal(node)
        case Name(name):
            return name, _ATOM
        case Sequence(items, is_list):
            inside = ", ".join(show(item, _CONDITIONAL) for item in items)
            if is_list:
                return f"[{inside}]", _ATOM
            return f"({inside}{',' if len(items) == 1 else ''})", _ATOM
        case Unary("not", operand):
            return f"not {show(operand, _NOT)}", _NOT
        case Unary(op, operand):
            return f"{op}{show(operand, _SIGN)}", _SIGN
        case Binary("**", left, right):
            return f"{show(left, _ATOM)}**{show(right, _SIGN)}", _POWER
        case Binary(op, left, right):
            binding = _BINDING[op]
            return f"{show(left, binding)} {op} {show(right, binding + 1)}", binding
        case Boolean(op, operands):
            binding = _AND if op == "and" else _OR
            return f" {op} ".join(show(operand, binding + 1) for operand in operands), binding
        case Comparison(first, rest):
            parts = "".join(f" {op} {show(part, _BIT_OR)}" for op, part in rest)
            return show(first, _BIT_OR) + parts, _COMPARE
        case Conditional(test, then, otherwise):
            text = f"{show(then, _OR)} if {show(test, _OR)} else {show(otherwise, _CONDITIONAL)}"
            return text, _CONDITIONAL
        case Index(base, index):
            return f"{show(base, _ATOM)}[{show(index)}]", _ATOM
        case Slice(base, lower, upper, step):
            ends = [show(part) if part is not None else "" for part in (lower, upper)]
            tail = f":{show(step)}" if step is not None else ""
            return f"{show(base, _ATOM)}[{ends[0]}:{ends[1]}{tail}]", _ATOM
        case Lambda(params, body):
            return f"lambda {', '.join(params)}: {show(body)}".replace(
                "lambda :", "lambda:"
            ), _LAMBDA
        case Comprehension():
            return _comprehension(node), _ATOM
    return _call(node), _ATOM


def _literal(node: Literal) -> tuple[str, int]:
    value = node.value
    if isinstance(value, Fraction) and not node.spelled:
        exact = value.denominator
        while exact % 2 == 0 or exact % 5 == 0:
            exact //= 2 if exact % 2 == 0 else 5
        if value.denominator == 1 or exact != 1:
            return show_value(value), _ATOM
        return _decimal(value), _ATOM
    text = node.spelled or show_value(value)
    return text, _SIGN if text.startswith("-") else _ATOM


def _decimal(value: Fraction) -> str:
    """Return a fraction whose denominator divides a power of ten as a decimal."""
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def _comprehension(node: Comprehension) -> str:
    text = show(node.element, _CONDITIONAL) + _clauses(node.clauses)
    return f"[{text}]" if node.is_list else f"({text})"


def _clauses(clauses: tuple[Clause, ...]) -> str:
    text = ""
    for clause in clauses:
        text += f" for {_target(clause.target)} in {show(clause.items, _OR)}"
        text += "".join(f" if {show(test, _OR)}" for test in clause.tests)
    return text


def _is_pair(node: PureExpr) -> bool:
    return isinstance(node, Sequence) and not node.is_list and len(node.items) == 2


def _pair(node: PureExpr) -> str:
    """Return a key and its value as a dictionary shows them."""
    assert isinstance(node, Sequence)
    key, value = node.items
    return f"{show(key, _CONDITIONAL)}: {show(value, _CONDITIONAL)}"


def _call(node: Node) -> str:
    match node:
        case Call(Name("dict"), (Sequence(entries, True),), ()) if all(map(_is_pair, entries)):
            return f"{{{', '.join(map(_pair, entries))}}}"
        case Call(Name("dict"), (Comprehension(element, clauses, False),), ()) if _is_pair(element):
            return f"{{{_pair(element)}{_clauses(clauses)}}}"
        case Call(function, (Comprehension(_, _, False) as only,), ()):
            return f"{_function(function)}{_comprehension(only)}"
        case Call(function, args, keywords):
            parts = [show(arg) for arg in args]
            parts += [f"{name}={show(arg)}" for name, arg in keywords]
            return f"{_function(function)}({', '.join(parts)})"
        case Method(base, name, args):
            return f"{show(base, _ATOM)}.{name}({', '.join(show(arg) for arg in args)})"
        case Draw(noise, rate, mean, by_scale):
            keyword = "start" if noise == "expo" else "mean"
            if by_scale:
                return f"{noise}(scale={show(rate)}, {keyword}={show(mean)})"
            return f"{noise}({show(rate)}, {show(mean)})"
        case ExpMech(rate, score, candidates):
            return f"expmech({show(rate)}, {show(score)}, {show(candidates)})"
        case Choose(_, table) if table is not None:
            return f"choose({show(table)})"
        case Choose(outcomes):
            pairs = ", ".join(f"{show(value)}: {show(chance)}" for value, chance in outcomes)
            return f"choose({{{pairs}}})"
        case Appended(base, item):
            return f"{show(base)} + [{show(item)}]"
        case Augmented(op, base, value):
            binding = _BINDING[op]
            return f"{show(base, binding)} {op} {show(value, binding + 1)}"
        case Updated(base, index, value):
            return f"{show(base)} with [{show(index)}] = {show(value)}"
        case Unpacked(value):
            return show(value)
    raise AssertionError(f"not an expression: {node}")


def _function(name: Name) -> str:
    return name.id.partition("()")[0]


def _target(target: Pattern) -> str:
    if isinstance(target, Targets):
        comma = "," if len(target.items) == 1 else ""
        inside = ", ".join(
            f"({_target(item)})" if isinstance(item, Targets) else _target(item)
            for item in target.items
        )
        return inside + comma if inside else "()"
    return show(target)


def _block(body: tuple[Stmt, ...], indent: int) -> Iterator[str]:
    for node in body:
        yield from _statement(node, indent)


def _statement(node: Stmt, indent: int) -> Iterator[str]:
    space = "    " * indent
    match node:
        case Assign(targets, value, declared):
            left = " = ".join(_target(target) for target in targets)
            kind = f": {declared}" if declared is not None else ""
            yield f"{space}{left}{kind} = {_bare(value)}"
        case Augment(target, op, value):
            yield f"{space}{show(target)} {op}= {_bare(value)}"
        case Append(target, value):
            yield f"{space}{target.id}.append({show(value)})"
        case If():
            yield from _if(node, indent, "if")
        case For(target, items, body, otherwise):
            yield f"{space}for {_target(target)} in {_bare(items)}:"
            yield from _block(body, indent + 1)
            yield from _else(otherwise, indent)
        case While(test, body, otherwise):
            yield f"{space}while {show(test)}:"
            yield from _block(body, indent + 1)
            yield from _else(otherwise, indent)
        case Return(value):
            yield f"{space}return {_bare(value)}"
        case Assert(test, message):
            tail = "" if message is None else f", {show(message)}"
            yield f"{space}assert {show(test)}{tail}"
        case Simple(word):
            yield f"{space}{word}"


def _bare(value: PureExpr) -> str:
    """Return an expression without the brackets that a tuple does not need."""
    if isinstance(value, Sequence) and not value.is_list and len(value.items) > 1:
        return show(value)[1:-1]
    return show(value)


def _else(body: tuple[Stmt, ...], indent: int) -> Iterator[str]:
    if body:
        yield f"{'    ' * indent}else:"
        yield from _block(body, indent + 1)


def _if(node: If, indent: int, word: str) -> Iterator[str]:
    yield f"{'    ' * indent}{word} {show(node.test)}:"
    yield from _block(node.then, indent + 1)
    if len(node.otherwise) == 1 and isinstance(node.otherwise[0], If):
        yield from _if(node.otherwise[0], indent, "elif")
    else:
        yield from _else(node.otherwise, indent)


def print_function(function: Function) -> str:
    """Return one function as source."""
    params = ", ".join(
        param.name if param.type is None else f"{param.name}: {param.type}"
        for param in function.params
    )
    return "\n".join((f"def {function.name}({params}):", *_block(function.body, 1)))


def print_definition(definition: Definition) -> str:
    """Return a definition as source: constants, subroutines, then the function itself.

    Python functions cannot be printed; they are named in a comment and must be given
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
    return "\n\n".join((*parts, print_function(definition.function)))
