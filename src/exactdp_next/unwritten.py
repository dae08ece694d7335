"""What stands for a public name whose module is not written yet. It goes with the old tree."""

from __future__ import annotations

from inspect import get_annotations, signature
from typing import TYPE_CHECKING, Any, NoReturn

from .errors import NotYet


class Unwritten:
    """A public name without its object: whatever is done with it raises `NotYet`."""

    def __init__(self, name: str, module: str) -> None:
        self._name, self._family = name, module.split(".", maxsplit=1)[0]

    def __repr__(self) -> str:
        return f"<{self._name}: not yet>"

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # Python asks for many of these, and goes on without them
            raise AttributeError(name)
        raise NotYet(self._family)

    def _used(self, *_given: object, **_named: object) -> NoReturn:
        raise NotYet(self._family)

    __call__ = __getitem__ = __iter__ = __len__ = __bool__ = __contains__ = _used
    __instancecheck__ = __subclasscheck__ = __mro_entries__ = _used
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _used
    __rtruediv__ = __pow__ = __rpow__ = __floordiv__ = __mod__ = __neg__ = __pos__ = __abs__ = _used
    __lt__ = __le__ = __gt__ = __ge__ = __float__ = __int__ = _used
    __eq__: Any = _used
    __ne__: Any = _used
    __hash__: Any = _used


class Partial(type):
    """The type of a public class that is not whole yet: what it lacks raises `NotYet`."""

    def __call__(cls, *given: Any, **named: Any) -> Any:
        """Make an object, if all arguments are known."""
        try:
            signature(cls.__init__).bind(None, *given, **named)  # type: ignore[misc]
        except TypeError:
            raise NotYet(cls._family()) from None
        return super().__call__(*given, **named)

    def __getattr__(cls, name: str) -> NoReturn:
        if name.startswith("_") or name in get_annotations(cls):
            raise AttributeError(name)
        raise NotYet(cls._family())

    def _family(cls) -> str:
        return cls.__module__.split(".")[1]


class PartialObject(metaclass=Partial):
    """A base of such a class: its objects refuse what they lack, too."""

    if not TYPE_CHECKING:  # or any attribute would be there

        def __getattr__(self, name: str) -> NoReturn:
            return getattr(type(self), name)  # which is not there either
