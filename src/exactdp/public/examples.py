"""`example`: the gallery files that are installed with exactdp."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from exactdp.errors import ValueRefusedError
from exactdp.pages import examples


def example(name: str) -> ModuleType:
    """Return an example of the gallery as a module, with its mechanisms and `claims`.

    >>> from exactdp import example
    >>> laplace = example("laplace")
    >>> print(laplace.claims["known bound"].check().sentence[:29])
    Holds: laplace is (α, β, γ)-a
    """
    path = examples().get(name)
    if path is None:
        raise ValueRefusedError(
            f"there is no example {name!r}", rule=f"The examples are {', '.join(examples())}."
        )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
