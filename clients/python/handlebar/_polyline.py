"""Points and elevations on the wire: the encoded polyline algorithm, differences of whole numbers, five bits a character."""

from typing import List


def encode(values: List[int], step: int) -> str:
    """The text of numbers; each is sent as its difference from the one `step` before it."""
    text = []
    for index, value in enumerate(values):
        difference = value - (values[index - step] if index >= step else 0)
        number = ~(difference << 1) if difference < 0 else difference << 1
        while number >= 0x20:
            text.append(chr((number & 0x1F | 0x20) + 63))
            number >>= 5
        text.append(chr(number + 63))
    return "".join(text)


def decode(text: str, step: int) -> List[int]:
    """The numbers of such a text."""
    values: List[int] = []
    number = shift = 0
    for character in text:
        bits = ord(character) - 63
        number |= (bits & 0x1F) << shift
        shift += 5
        if bits & 0x20 == 0:
            difference = ~(number >> 1) if number & 1 else number >> 1
            values.append(difference + (values[-step] if len(values) >= step else 0))
            number = shift = 0
    return values
