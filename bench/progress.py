"""How long work tells where it is: the type that everything which takes time accepts."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called at times with a label, how much is done, and of how much (0 where that is not known)."""
