"""Values of the wire: how each is read, and a dataclass of them."""

from __future__ import annotations

import dataclasses
import datetime
import math
import re
import typing
from typing import Any, Callable, Dict, Tuple, Type

T = typing.TypeVar("T")

CLASSES: Dict[str, type] = {}
"""Dataclasses of reports, by their class on the wire."""


def _report(name: str) -> Callable[[Type[T]], Type[T]]:
    """Makes a dataclass that of the reports of a class."""
    def add(kind: Type[T]) -> Type[T]:
        CLASSES[name] = kind
        return kind

    return add


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError("is not a number")
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
        raise ValueError("is not a whole number")
    return int(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("is neither true nor false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("is not a string")
    # A lone surrogate could not be printed.
    value.encode()
    return value


_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z", re.ASCII)


def _time(value: Any) -> datetime.datetime:
    match = _TIME.fullmatch(_text(value))
    if match is None:
        raise ValueError("is not a time")
    year, month, day, hour, minute, second = (int(number) for number in match.groups()[:6])
    microsecond = int((match[7] or "").ljust(6, "0")[:6])
    return datetime.datetime(year, month, day, hour, minute, second, microsecond, datetime.timezone.utc)


def _counts(value: Any) -> Dict[str, int]:
    if not isinstance(value, dict):
        raise ValueError("is not an object")
    return {_text(name): _whole(count) for name, count in value.items()}


def _one(kind: Callable[..., T]) -> Callable[[Any], T]:
    def read(value: Any) -> T:
        if not isinstance(value, dict):
            raise ValueError("is not an object")
        return _read(kind, value)

    return read


def _several(kind: Callable[..., T]) -> Callable[[Any], Tuple[T, ...]]:
    def read(value: Any) -> Tuple[T, ...]:
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise ValueError("is not an array of objects")
        return tuple(_read(kind, one) for one in value)

    return read


def _field(name: str, read: Callable[[Any], Any], default: Any = None, required: bool = False) -> Any:
    """A value of a report: its name on the wire, and how it is read."""
    return dataclasses.field(default=default, metadata={"name": name, "read": read, "required": required})


def _read(kind: Callable[..., T], fields: Dict[str, Any]) -> T:
    """The report of that type with these fields of the wire; ValueError names the field that does not fit."""
    values = {}
    for one in dataclasses.fields(kind):  # type: ignore[arg-type]
        name = one.metadata.get("name")
        value = None if name is None else fields.get(name)
        if value is not None:
            try:
                values[one.name] = one.metadata["read"](value)
            except (ValueError, OverflowError) as error:
                raise ValueError(f"{name} {error}") from None
        elif one.metadata.get("required"):
            raise ValueError(f"{name} is missing")
    return kind(**values)
