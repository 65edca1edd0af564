"""Where the few are that a comparison found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Of this share of eights with one of them inside, looking at each by itself is no slower.
_MANY = 0.5


def places_of(found: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the places of the true ones in order, as ``numpy.flatnonzero`` does.

    Eight are looked at as one word first. numpy looks at each by itself and hardly ever guesses
    right whether it is true: where one in 30 is, that takes twice as long as all of this, and a
    mask as an index three times (measured with numpy 2.4).

    Parameters
    ----------
    found
        One dimension, in one piece, from the beginning of an array.
    """
    if found.size % 8:
        return np.flatnonzero(found)
    words = found.view(np.uint64)
    eights = np.flatnonzero(words != 0)
    if eights.size > _MANY * words.size:
        return np.flatnonzero(found)
    inside = np.flatnonzero(words[eights].view(np.bool_))
    places: NDArray[np.intp] = eights[inside >> 3]
    places <<= 3
    places += inside & 7
    return places
