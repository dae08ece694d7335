"""The changes that mutation testing makes to a source file, each a replacement of a few bytes."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: (r"<", ("<=", ">=")),
    ast.LtE: (r"<=", ("<", ">")),
    ast.Gt: (r">", (">=", "<=")),
    ast.GtE: (r">=", (">", "<")),
    ast.Eq: (r"==", ("!=",)),
    ast.NotEq: (r"!=", ("==",)),
    ast.Is: (r"\bis\b", ("is not",)),
    ast.IsNot: (r"\bis\s+not\b", ("is",)),
    ast.In: (r"\bin\b", ("not in",)),
    ast.NotIn: (r"\bnot\s+in\b", ("in",)),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (r"\+", "-"),
    ast.Sub: (r"-", "+"),
    ast.Mult: (r"\*", "/"),
    ast.Div: (r"/", "*"),
    ast.FloorDiv: (r"//", "/"),
    ast.Mod: (r"%", "*"),
    ast.Pow: (r"\*\*", "*"),
    ast.BitAnd: (r"&", "|"),
    ast.BitOr: (r"\|", "&"),
}
DROPPED = (ast.Raise, ast.Continue, ast.Break, ast.AugAssign, ast.Return)
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor"}

#: The file, the function, its line before and after the change, and which one of several.
Key = tuple[str, str, str, str, int]
#: Where the replaced bytes begin and end, and the new text.
Change = tuple[int, int, str]


@dataclass(frozen=True)
class Mutant:
    """A change of one file: the bytes from `start` to `end` are replaced."""

    path: str
    function: str
    line: int
    start: int
    end: int
    text: str
    before: str
    after: str
    occurrence: int = 0

    @property
    def key(self) -> Key:
        """What names the mutant, and stays when lines elsewhere change."""
        return self.path, self.function, self.before, self.after, self.occurrence

    def applied(self, source: bytes) -> bytes:
        """Return the changed file."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line} in {self.function}\n  - {self.before}\n  + {self.after}"


def mutants_of(root: Path, path: str) -> list[Mutant]:
    """Return every mutant of a file."""
    source = (root / path).read_bytes()
    found = _Finder(path, source)
    found.visit(ast.parse(source))
    counts: Counter[Key] = Counter()
    numbered = []
    for one in found.mutants:
        numbered.append(Mutant(**{**vars(one), "occurrence": counts[one.key]}))
        counts[one.key] += 1
    return numbered


def is_valid(mutant: Mutant, source: bytes) -> bool:
    """Tell whether the changed file is Python, and another program."""
    try:
        changed = ast.parse(mutant.applied(source))
    except SyntaxError:
        return False
    return ast.dump(changed) != ast.dump(ast.parse(source))


class _Finder(ast.NodeVisitor):
    """Walks over everything that decides or computes; texts, types and decorators are left out."""

    def __init__(self, path: str, source: bytes) -> None:
        self.mutants: list[Mutant] = []
        self._path = path
        self._source = source
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._scope: list[str] = []

    def visit(self, node: ast.AST) -> None:
        """Change a node in each way that fits it, then look below."""
        for start, end, text in self._changes(node):
            self._add(start, end, text)
        name = getattr(node, "name", None) if isinstance(node, ast.stmt) else None
        if name is not None:
            self._scope.append(name)
        for below in self._below(node):
            self.visit(below)
        if name is not None:
            self._scope.pop()

    def _below(self, node: ast.AST) -> Iterator[ast.AST]:
        if isinstance(node, ast.JoinedStr):  # Python 3.11 does not know the places in it
            return
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and name in ("isinstance", "issubclass", "zip"):
            yield from node.args[:1] if name != "zip" else node.args  # not `strict`, nor classes
            return
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list", "type_comment"):
                for one in value if isinstance(value, list) else [value]:
                    if isinstance(one, ast.AST):
                        yield one

    def _changes(self, node: ast.AST) -> Iterator[Change]:
        if isinstance(node, ast.Compare):
            lefts = [node.left, *node.comparators]
            for left, operator, right in zip(lefts, node.ops, node.comparators, strict=False):
                pattern, others = COMPARISONS[type(operator)]
                for other in others:
                    yield from self._between(left, right, pattern, other)
        elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            if not (isinstance(node.op, ast.Mod) and _is_text(node.left)):
                yield from self._between(node.left, node.right, *ARITHMETIC[type(node.op)])
        elif isinstance(node, ast.BoolOp):
            word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from self._between(left, right, rf"\b{word}\b", other)
        elif isinstance(node, ast.UnaryOp):
            yield self._start(node), self._start(node.operand), ""
        elif isinstance(node, ast.Constant):
            yield from self._constants(node)
        elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
            yield self._negated(node.test)
        elif isinstance(node, ast.comprehension):
            yield from map(self._negated, node.ifs)
        elif isinstance(node, ast.Name) and node.id in NAMES:
            yield (*self._place(node), NAMES[node.id])
        elif isinstance(node, ast.Call):
            yield from self._calls(node)
        elif isinstance(node, ast.stmt):
            yield from self._statements(node)

    def _constants(self, node: ast.Constant) -> Iterator[Change]:
        if isinstance(node.value, bool):
            yield (*self._place(node), str(not node.value))
        elif isinstance(node.value, int):
            yield (*self._place(node), str(node.value + 1))
            yield (*self._place(node), str(node.value - 1) if node.value else "(-1)")
        elif isinstance(node.value, float):
            yield (*self._place(node), str(2 * node.value))

    def _calls(self, node: ast.Call) -> Iterator[Change]:
        """Drop an argument given by name: what has a default is easily forgotten."""
        if ast.unparse(node.func) == "zip":
            return
        values: list[ast.expr] = [*node.args, *(one.value for one in node.keywords)]
        for k in range(len(node.args), len(values)):
            if k:
                yield self._end(values[k - 1]), self._end(values[k]), ""
            elif len(values) == 1:
                yield self._end(node.func), self._end(values[0]), "("

    def _statements(self, node: ast.stmt) -> Iterator[Change]:
        if isinstance(node, ast.Return) and node.value is not None:
            if ast.unparse(node.value) != "None":
                yield (*self._place(node.value), "None")
        elif isinstance(node, DROPPED) or _is_call(node) or _is_stored(node):
            yield (*self._place(node), "pass")

    def _between(
        self, left: ast.expr, right: ast.expr, pattern: str, text: str
    ) -> Iterator[Change]:
        start, end = self._end(left), self._start(right)
        operator = re.search(pattern.encode(), self._source[start:end])
        if operator:
            yield start + operator.start(), start + operator.end(), text

    def _negated(self, node: ast.expr) -> Change:
        start, end = self._place(node)
        return start, end, f"not ({self._source[start:end].decode()})"

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def _place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        return self._start(node), self._end(node)

    def _add(self, start: int, end: int, text: str) -> None:
        """Note a change, told by the whole lines it touches."""
        first = self._source.rfind(b"\n", 0, start) + 1
        last = self._source.find(b"\n", end)
        whole = self._source[first:last]
        changed = self._source[first:start] + text.encode() + self._source[end:last]
        self.mutants.append(
            Mutant(
                self._path,
                ".".join(self._scope) or "the module",
                self._source.count(b"\n", 0, start) + 1,
                start,
                end,
                text,
                _one_line(whole),
                _one_line(changed),
            )
        )


def _is_call(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _is_stored(node: ast.stmt) -> bool:
    """Tell whether a statement changes an object; without a name nothing runs at all."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(one, (ast.Attribute, ast.Subscript)) for one in targets)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _one_line(source: bytes) -> str:
    return " ".join(source.decode().split())
