"""Program form to flat code: expressions, conditions, calls, and the loops of all three.

`value` returns a pure expression with the same meaning, after emitting a basic statement
for every sample, comparison of noise and subroutine in it, in Python's order.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NoReturn

from exactdp.errors import Place
from exactdp.language.code import Appended, Enter, Next, Pick, Sample, Set, Test
from exactdp.language.emitter import Emitter
from exactdp.language.limits import UNROLL_LIMIT
from exactdp.language.noisy import samples
from exactdp.language.prelude import prelude
from exactdp.language.rules import refuse
from exactdp.language.sorted_ends import end_of_sorted, part_of_sorted, position_asked
from exactdp.language.tree import (
    SYMBOLS,
    Choose,
    Comprehension,
    Definition,
    ExpMech,
    NoiseCall,
    arguments,
    call,
    called,
    constant,
    list_of,
    name,
    nodes,
    pair,
    parameters,
    put,
    rebuilt,
    where,
)

_ORDER = ("<", "<=", "==", "!=", ">=", ">")
_SCORE = "A score is a rational number or linear in real inputs, without noise."
_KEY = "A key or score is a function of one item."
_ONE_ITEM = "Write `lambda item: …`, or the name of a function."
_ARGUMENTS = "A subroutine is called with one argument for each of its inputs."


class Lowering(Emitter):
    """Emits the basic statements of expressions."""

    @abstractmethod
    def inline(
        self, definition: Definition, args: list[ast.expr], at: ast.AST, user: bool
    ) -> ast.Name:
        """Emit a subroutine's statements; return the slot that holds its result."""

    @abstractmethod
    def assign_value(self, target: ast.expr, value: ast.expr) -> None:
        """Emit an assignment of a pure expression."""

    @abstractmethod
    def declared(self, target: ast.Name) -> None:
        """Emit the check of a variable with a declared domain."""

    def prelude_call(self, word: str, args: list[ast.expr], node: ast.AST) -> ast.Name:
        """Inline a function of the prelude."""
        return self.inline(prelude(word), args, node, False)

    def is_builtin(self, word: str) -> bool:
        """Whether a name refers to the Python builtin."""
        return word not in self.scope.constants and word not in self.scope.names

    def position_asked(self, node: ast.Call) -> str | None:
        """Return "max" or "min" if a call asks for the position of the largest or least entry."""
        word = position_asked(node)
        return word if word is not None and self.is_builtin(word) else None

    def noisy_lambda(self, node: ast.Lambda) -> NoReturn:
        """Refuse a lambda with noise."""
        refuse(
            self.place(node),
            "a lambda cannot sample or compare noise",
            "Functions handed to other functions are run on finite values.",
            "Use a comprehension or a loop, or an @ideal function called by name.",
        )

    def keep(self, value: ast.expr, place: Place) -> ast.Name:
        """Return a slot that holds the value."""
        slot = self.temporary("t")
        if self.reads_noise(value):
            self.noisy_slots.add(slot)
        self.emit(Set(slot, value, place=place))
        return name(slot, place)

    def value(self, node: ast.expr) -> Any:
        """Return a pure expression for the value of any expression."""
        if not self.scope.noise.effectful(node):
            return self.rename(node)
        match node:
            case NoiseCall() | ExpMech() | Choose() | ast.Call(ast.Attribute()):
                return self.into_fresh(node)
            case ast.BoolOp() | ast.Compare() | ast.IfExp() | ast.UnaryOp(ast.Not()):
                return self.into_fresh(node)
            case ast.ListComp() | ast.GeneratorExp():
                return self.into_fresh(node)
            case ast.Lambda():
                self.noisy_lambda(node)
            case ast.BinOp() if self.scope.noise.rounds(node):
                place = self.place(node)
                return self.keep(rebuilt(node, self.value, place), place)
            case ast.Call():
                return self.call(node)
            case ast.Subscript() if (found := end_of_sorted(node)) and self.is_builtin("sorted"):
                return self.value(found)
            case ast.Subscript(_, index) if (part := part_of_sorted(node)) and self.is_noisy_sorted(
                part[0]
            ):
                kept, place = self.case_split(part[0], "sorted", part[1]), self.place(node)
                return put(ast.Subscript(kept, self.value(index), node.ctx), place)
        return rebuilt(node, self.value, self.place(node))

    def into_fresh(self, node: ast.expr) -> ast.Name:
        """Return a new slot that holds the value."""
        truth = isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp)
        slot = self.temporary("b" if truth else "t")
        if self.scope.noise.noisy(node):
            self.noisy_slots.add(slot)
        self.into(node, slot)
        return name(slot, self.place(node))

    def into(self, node: ast.expr, slot: str, binds: str = "", place: Place | None = None) -> None:
        """Emit slot ← node."""
        at = place or self.place(node)
        user = binds if self.scope.user else ""
        if self.scope.noise.effectful(node):
            match node:
                case NoiseCall():
                    draw = rebuilt(node, self.value, self.place(node))
                    # In `total = total + lap(…)` the variable assigned is `total`.
                    self.emit(Sample(slot, draw, user, place=self.assigning or at))
                    return
                case ExpMech() | Choose():
                    self.emit(Pick(slot, self.choice(node), place=at))
                    return
                case ast.IfExp(test, then, otherwise):
                    yes, no, end = self.label(), self.label(), self.label()
                    self.condition(test, yes, no)
                    self.mark(yes)
                    self.into(then, slot, binds, at)
                    self.jump(end, at)
                    self.mark(no)
                    self.into(otherwise, slot, binds, at)
                    self.mark(end)
                    return
                case ast.Compare(first, [op], [second]) if SYMBOLS[type(op)] in _ORDER:
                    left, right = self.value(first), self.value(second)
                    self.emit(Test(slot, SYMBOLS[type(op)], left, right, place=self.place(node)))
                    return
                case ast.Compare() | ast.UnaryOp(ast.Not()):
                    self.truth(node, slot, at)
                    return
                case ast.BoolOp() if not slot.startswith("%"):
                    self.emit(Set(slot, self.into_fresh(node), user, place=at))
                    return
                case ast.BoolOp(op, operands):
                    self.boolean(op, operands, slot)
                    return
                case ast.ListComp() | ast.GeneratorExp():
                    self.comprehension(node, slot, binds, at)
                    return
                case ast.Call(ast.Attribute(base), _) if word := self.position_asked(node):
                    result = self.prelude_call(f"{word}_index", [self.value(base)], node)
                    self.emit(Set(slot, result, user, place=at))
                    return
                case ast.Call(ast.Attribute(base, method), args):
                    given = [self.value(base), *(self.value(arg) for arg in args)]
                    result = self.prelude_call(method, given, node)
                    self.emit(Set(slot, result, user, place=at))
                    return
        self.emit(Set(slot, self.value(node), user, place=at))

    def truth(self, node: ast.expr, slot: str, at: Place) -> None:
        """Emit slot ← the truth of a comparison of noise."""
        yes, no, end = self.label(), self.label(), self.label()
        self.condition(node, yes, no)
        for label, answer in ((yes, True), (no, False)):
            self.mark(label)
            self.emit(Set(slot, constant(answer, at), place=at))
            if answer:
                self.jump(end, at)
        self.mark(end)

    def boolean(self, op: ast.boolop, operands: list[ast.expr], slot: str) -> None:
        """Emit slot ← `a and b` or `a or b`, with short-circuit evaluation."""
        end = self.label()
        for operand in operands[:-1]:
            self.into(operand, slot)
            further, place = self.label(), self.place(operand)
            goals = (further, end) if isinstance(op, ast.And) else (end, further)
            self.branch(name(slot, place), *goals, place)
            self.mark(further)
        self.into(operands[-1], slot)
        self.mark(end)

    def comprehension(self, node: Comprehension, slot: str, binds: str, at: Place) -> None:
        """Emit a comprehension as loops that append."""
        element, place = node.elt, self.place(node)
        # A variable may be read while its new value is built, so the list has its own slot.
        own = slot if slot.startswith("%") else self.temporary("list")
        found = name(own, place)
        if self.scope.noise.noisy(element):
            self.noisy_slots.add(own)
        self.emit(Set(own, list_of([], place), place=place))

        def inside() -> None:
            self.emit(Set(own, put(Appended(found, self.value(element)), place), place=place))

        self.clauses(node.generators, inside)
        if own != slot:
            self.emit(Set(slot, found, binds if self.scope.user else "", place=at))

    def clauses(self, clauses: list[ast.comprehension], inside: Callable[[], None]) -> None:
        """Emit the loops of a comprehension around `inside`."""
        if not clauses:
            inside()
            return
        clause = clauses[0]
        items = self.value(clause.iter)
        outer = self.scope.names
        self.scope.names = dict(outer)
        self.bind_afresh(clause.target)

        def body() -> None:
            skip = self.label()
            for test in clause.ifs:
                further = self.label()
                self.condition(test, further, skip)
                self.mark(further)
            self.clauses(clauses[1:], inside)
            self.mark(skip)

        self.loop(clause.target, items, body, clause)
        self.scope.names = outer

    def condition(self, test: ast.expr, yes: int, no: int) -> None:
        """Emit a jump to `yes` or `no`, depending on the truth of a condition."""
        if not self.scope.noise.effectful(test):
            self.branch(self.value(test), yes, no, self.place(test))
            return
        match test:
            case ast.UnaryOp(ast.Not(), operand):
                self.condition(operand, no, yes)
            case ast.BoolOp(op, operands):
                for operand in operands[:-1]:
                    further = self.label()
                    if isinstance(op, ast.And):
                        self.condition(operand, further, no)
                    else:
                        self.condition(operand, yes, further)
                    self.mark(further)
                self.condition(operands[-1], yes, no)
            case ast.Compare():
                self.comparison(test, yes, no)
            case ast.IfExp(condition, then, otherwise):
                first_label, second_label = self.label(), self.label()
                self.condition(condition, first_label, second_label)
                self.mark(first_label)
                self.condition(then, yes, no)
                self.mark(second_label)
                self.condition(otherwise, yes, no)
            case _:
                self.branch(self.value(test), yes, no, self.place(test))

    def comparison(self, node: ast.Compare, yes: int, no: int) -> None:
        """Emit a chain of comparisons, each a basic statement of its own."""
        place, left = self.place(node), self.value(node.left)
        for position, (op, part) in enumerate(zip(node.ops, node.comparators, strict=True), 1):
            right = self.value(part)
            last = position == len(node.ops)
            further = yes if last else self.label()
            goals = further, no
            if isinstance(op, ast.In | ast.NotIn):
                found: ast.expr = self.prelude_call("contains", [right, left], node)
                goals = goals if isinstance(op, ast.In) else (no, further)
            elif isinstance(op, ast.Is | ast.IsNot):
                found = put(ast.Compare(left, [op], [right]), place)
            else:
                found = name(self.temporary("b"), place)
                self.emit(Test(found.id, SYMBOLS[type(op)], left, right, place=place))
            self.branch(found, *goals, place)
            if not last:
                self.mark(further)
            left = right

    def loop(
        self,
        target: ast.expr,
        items: ast.expr,
        inside: Callable[[], None],
        node: ast.AST,
        labels: tuple[int, int] | None = None,
    ) -> None:
        """Emit a loop over items; `labels` are those of its continuation and its end."""
        if self.over_input(target, items, inside, node, labels):
            return
        again, leave = labels or (self.label(), self.label())
        place, times = self.place(node), self.times(items, node)
        kept, self.rounds = self.rounds, self.rounds * max(times or 1, 1)
        if self.rounds > UNROLL_LIMIT:
            self.too_long(place)
        names = self.temporary("items"), self.temporary("round")
        if self.reads_noise(items):
            self.noisy_slots.add(names[0])
        self.emit(Enter(*names, items, place=place))
        simple = isinstance(target, ast.Name)
        slot = self.local(target.id) if isinstance(target, ast.Name) else self.temporary("item")
        if self.reads_noise(items):
            self.noisy_slots.add(slot)
        start, body = self.label(), self.label()
        self.mark(start)
        self.loops.append((start, leave, names[1], times, where(node)))
        nonempty = times is not None and times > 0
        if nonempty:
            self.emit(Next(*names, slot, body, None, place=place))
        else:
            self.mark(again)
            self.emit(Next(*names, slot, body, leave, place=place))
        self.mark(body)
        if not simple:
            self.assign_value(target, name(slot, self.place(target)))
        elif isinstance(target, ast.Name):
            self.declared(target)
        inside()
        if nonempty:
            self.mark(again)
            self.emit(Next(*names, slot, body, leave, place=place))
        else:
            self.jump(again, place)
        self.mark(leave)
        self.rounds = kept

    def over_input(
        self,
        target: ast.expr,
        items: ast.expr,
        inside: Callable[[], None],
        node: ast.AST,
        labels: tuple[int, int] | None,
    ) -> bool:
        """Emit a loop over an input list by its positions, which are constants.

        Return False if the items are something else.
        """
        whole: ast.expr = items
        numbered = called(items) == "enumerate"
        if isinstance(items, ast.Call) and numbered and len(items.args) == 1 and not items.keywords:
            whole = items.args[0]
        if not isinstance(whole, ast.Name) or whole.id not in self.lengths:
            return False
        place = self.place(node)
        at = name(self.temporary("k"), place)
        self.scope.names[at.id] = at.id
        positions = call(name("range", place), [constant(self.lengths[whole.id], place)], place)

        def body() -> None:
            there = self.place(target)
            entry: ast.expr = put(ast.Subscript(whole, at, ast.Load()), there)
            match target:
                case ast.Tuple([first, second]) if numbered:
                    self.assign_value(first, at)
                    self.assign_value(second, entry)
                case ast.Name(word):
                    value = pair(at, entry, there) if numbered else entry
                    self.emit(Set(self.local(word), value, place=there))
                    self.declared(target)
                case _:
                    self.assign_value(target, pair(at, entry, there) if numbered else entry)
            inside()

        self.loop(at, positions, body, node, labels)
        return True

    # Calls, case splits and choices -----------------------------------------------------

    def call(self, node: ast.Call) -> ast.expr:
        """Return the value of a call with effects."""
        word = called(node)
        target = self.scope.constants.get(word)
        if isinstance(target, Definition):
            return self.subroutine(node, target)
        if target is None and word in ("any", "all") and len(node.args) == 1:
            argument = node.args[0]
            if isinstance(argument, Comprehension):
                return self.quantifier(word, argument, node)
        if target is None and word in ("int", "trunc") and len(node.args) == 1:
            argument = node.args[0]
            if self.scope.noise.noisy(argument) and not node.keywords:
                return self.prelude_call("trunc", [self.value(argument)], node)
        if (
            target is None
            and word in ("abs", "min", "max", "sorted")
            and any(map(self.scope.noise.split, arguments(node)))
        ):
            return self.case_split(node, word)
        assert isinstance(node.func, ast.Name)
        place, args = self.place(node), [self.value(arg) for arg in node.args]
        keywords = [rebuilt(one, self.value, place) for one in node.keywords]
        found = put(ast.Call(self.called(node.func), args, keywords), place)
        return self.keep(found, place) if self.scope.noise.rounds(node) else found

    def subroutine(self, node: ast.Call, target: Definition) -> ast.Name:
        """Inline a call of another mechanism or ideal."""
        params = [param.name for param in target.params]
        place, word = self.place(node), called(node)
        usage = f"Write {word}({', '.join(params)})."
        if len(node.args) > len(params):
            message = f"{word} takes {len(params)} arguments, {len(node.args)} given"
            refuse(place, message, _ARGUMENTS, usage)
        given = dict(zip(params, node.args, strict=False))
        for one in node.keywords:
            key = str(one.arg)
            if key not in params or key in given:
                message = f"{word} has no argument {key}, or it is given twice"
                refuse(place, message, _ARGUMENTS, usage)
            given[key] = one.value
        missing = [param for param in params if param not in given]
        if missing:
            refuse(place, f"{word} needs {', '.join(missing)}", _ARGUMENTS, usage)
        values = {key: self.value(arg) for key, arg in given.items()}
        return self.inline(target, [values[param] for param in params], node, True)

    def quantifier(self, word: str, argument: Comprehension, node: ast.Call) -> ast.Name:
        """Emit any(…) or all(…) over a comprehension, with short-circuit evaluation."""
        place = self.place(node)
        slot, stop = self.temporary("b"), word == "any"
        end = self.label()
        self.emit(Set(slot, constant(stop, place), place=place))

        def inside() -> None:
            further = self.label()
            goals = (end, further) if stop else (further, end)
            self.condition(argument.elt, *goals)
            self.mark(further)

        # The loop is left early only with the opposite answer, so set this one last.
        self.clauses(argument.generators, inside)
        self.emit(Set(slot, constant(not stop, place), place=place))
        self.mark(end)
        return name(slot, place)

    def is_noisy_sorted(self, node: ast.Call) -> bool:
        """Whether a call of `sorted` compares noise."""
        return self.is_builtin("sorted") and any(map(self.scope.noise.split, arguments(node)))

    def case_split(self, node: ast.Call, word: str, most: int | None = None) -> ast.Name:
        """Emit abs, min, max or sorted of noise as comparisons.

        Of a sorted list, `most` is the number of entries needed, negative for the last ones.
        """
        keywords = {str(one.arg): one.value for one in node.keywords}
        key, reverse = keywords.pop("key", None), keywords.pop("reverse", None)
        if keywords or (word == "abs" and (key or reverse or len(node.args) != 1)):
            refuse(
                self.place(node),
                f"{word} of noise takes no argument {next(iter(keywords), 'of this kind')}",
                "Of noise, abs takes a number; min and max take numbers, or a list and `key`; "
                "sorted takes a list, `key` and `reverse`.",
                "Test the case with `if` first.",
            )
        if word == "abs":
            return self.prelude_call("abs", [self.value(node.args[0])], node)
        if word != "sorted" and key is None and len(node.args) > 1:
            return self.extreme(node, ">" if word == "max" else "<")
        items: ast.expr
        if len(node.args) == 1:
            items = self.value(node.args[0])
            if self.reads(items, None) and not isinstance(items, ast.Name):
                items = self.keep(items, self.place(node))
        else:
            values = [self.value(arg) for arg in node.args]
            items = self.keep(list_of(values, self.place(node)), self.place(node))
        if word != "sorted" and key is None:
            return self.prelude_call(word, [items], node)
        keys = items if key is None else self.mapped(key, items, node)
        if reverse is not None:
            keys = self.reversed_keys(keys, reverse, node)
        if word == "sorted" and most is not None:
            given = [items, keys, constant(abs(most), self.place(node))]
            return self.prelude_call("first_by" if most > 0 else "last_by", given, node)
        if word == "sorted":
            return self.prelude_call("sorted_by", [items, keys], node)
        return self.prelude_call(f"{word}_by", [items, keys], node)

    def extreme(self, node: ast.Call, op: str) -> ast.Name:
        """Emit the largest or smallest of several numbers, one comparison each."""
        place = self.place(node)
        values = [self.value(arg) for arg in node.args]
        best = name(self.temporary("best"), place)
        self.noisy_slots.add(best.id)
        self.emit(Set(best.id, values[0], place=place))
        for value in values[1:]:
            truth = name(self.temporary("b"), place)
            self.emit(Test(truth.id, op, value, best, place=place))
            yes, no = self.label(), self.label()
            self.branch(truth, yes, no, place)
            self.mark(yes)
            self.emit(Set(best.id, value, place=place))
            self.mark(no)
        return best

    def reversed_keys(self, keys: ast.expr, reverse: ast.expr, node: ast.Call) -> ast.expr:
        """Return the keys negated if `reverse` is True."""
        if not isinstance(reverse, ast.Constant) or not isinstance(reverse.value, bool):
            refuse(
                self.place(reverse),
                "reverse is not True or False here",
                "The order in which noise is sorted is fixed in the source.",
                "Write reverse=True or reverse=False, one on each side of an `if`.",
            )
        if not reverse.value:
            return keys
        place = self.place(node)
        slot = name(self.slot("%key"), place)
        self.noisy_slots.add(slot.id)
        negated = put(ast.UnaryOp(ast.USub(), slot), place)
        each = put(ast.comprehension(slot, keys, [], 0), place)
        return self.keep(put(ast.ListComp(negated, [each]), place), place)

    def mapped(self, function: ast.expr, items: ast.expr, node: ast.expr) -> ast.Name:
        """Return the list of a function's results for each item, with the function inlined."""
        place = self.place(node)
        variable = name("%each", place)
        body: ast.expr
        if isinstance(function, ast.Lambda):
            if len(parameters(function)) != 1:
                refuse(self.place(function), "the lambda must have one parameter", _KEY, _ONE_ITEM)
            variable = name(parameters(function)[0], place)
            body = function.body
        elif isinstance(function, ast.Name):
            body = call(function, [variable], place)
        else:
            refuse(self.place(function), "this is not a function", _KEY, _ONE_ITEM)
        found = name(self.temporary("list"), place)
        self.noisy_slots.add(found.id)
        self.emit(Set(found.id, list_of([], place), place=place))
        outer = self.scope.names
        self.scope.names = dict(outer)
        slot = self.fresh(variable.id)
        if self.reads_noise(items):
            self.noisy_slots.add(slot)

        def inside() -> None:
            self.emit(Set(found.id, put(Appended(found, self.value(body)), place), place=place))

        self.loop(variable, items, inside, node)
        self.scope.names = outer
        return found

    def choice(self, node: ExpMech | Choose) -> ExpMech | Choose:
        """Return a choice with pure parts."""
        place = self.place(node)
        if isinstance(node, Choose):
            return rebuilt(node, self.value, place)
        rate, score = self.value(node.rate), node.score
        candidates = self.value(node.candidates)
        target = self.scope.constants.get(score.id) if isinstance(score, ast.Name) else None
        if isinstance(target, Definition) and samples(target) is not None:
            refuse(self.place(score), "the score samples", _SCORE, "Leave the noise out of it.")
        if isinstance(score, ast.Lambda):
            self.check_samples(score)
        noise = self.scope.noise
        if isinstance(target, Definition) or noise.effectful(score) or noise.noisy(score):
            kept = self.keep(candidates, place)
            return put(ExpMech(rate, self.mapped(score, kept, node), kept), place)
        return put(ExpMech(rate, self.value(score), candidates), place)

    def check_samples(self, node: ast.Lambda) -> None:
        """Refuse a lambda that samples."""
        for part in nodes(node.body):
            target = self.scope.constants.get(called(part))
            if isinstance(part, NoiseCall | ExpMech | Choose) or (
                isinstance(target, Definition) and samples(target) is not None
            ):
                self.noisy_lambda(node)
