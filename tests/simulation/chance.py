"""All that is left to chance comes from a seed while a walk is taken."""

import os
import random
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


@contextmanager
def seeded(seed: int) -> Generator[None]:
    """Let jitter, keys and ids of the whole process come from a seed."""
    drawn = random.Random(f"chance {seed}")
    # What `secrets` and SystemRandom draw from, whoever has imported them by now.
    module: Any = random
    kept = os.urandom, module._urandom
    random.seed(seed)
    os.urandom = module._urandom = drawn.randbytes
    try:
        yield
    finally:
        os.urandom, module._urandom = kept
        random.seed()
