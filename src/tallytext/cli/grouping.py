"""Options that commands take together, as one object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Any


def ungrouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes each field of its dataclasses as an option of its own.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Reading:
    ...     text: str = "text"
    ...     label: str = "label"
    >>> def learn(model: str, reading: Reading) -> None:
    ...     print(model, reading)
    >>> signature(ungrouped(learn))
    <Signature (*, model: str, text: str = 'text', label: str = 'label') -> None>
    >>> ungrouped(learn)(model="mails", text="body", label="folder")
    mails Reading(text='body', label='folder')
    """
    own = signature(command, eval_str=True)
    parameters = own.parameters.values()
    groups = {each.name: each.annotation for each in parameters if _is_group(each)}

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{each: given.pop(each) for each in signature(group).parameters})
        command(**given)

    apart = [option for each in parameters for option in _options(each)]
    vars(run)["__signature__"] = own.replace(parameters=apart)
    return run


def _is_group(parameter: Parameter) -> bool:
    return is_dataclass(parameter.annotation)


def _options(parameter: Parameter) -> list[Parameter]:
    fields = [parameter]
    if _is_group(parameter):
        fields = list(signature(parameter.annotation, eval_str=True).parameters.values())
    return [each.replace(kind=Parameter.KEYWORD_ONLY) for each in fields]
