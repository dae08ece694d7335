"""What stands for a public name whose module is not written yet. It goes with the old tree."""

from __future__ import annotations

from typing import Any, NoReturn

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
