"""Take walks: `python -m tests.simulation --seeds 0:200 --steps 100 [--shrink]`."""

import argparse
import os
import sys
import time
from collections import Counter

from tests.simulation import walk

_HASH_SEED = "0"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", default="0:20", help="from:to, each a world and a plan")
    parser.add_argument("--steps", type=int, default=100, help="of each walk")
    parser.add_argument("--shrink", action="store_true", help="show the shortest plan that fails")
    parser.add_argument("--first", action="store_true", help="end with the first that fails")
    parser.add_argument("--transcript", action="store_true", help="of the walks that fail, whole")
    options = parser.parse_args()
    begin, _, end = options.seeds.partition(":")
    pressed: Counter[str] = Counter()
    count = 0
    failed = 0
    began = time.process_time()
    for seed in range(int(begin), int(end or int(begin) + 1)):
        taken = walk.take(walk.draw_plan(seed, options.steps))
        pressed += taken.pressed
        count += taken.count
        if taken.fault is None:
            continue
        failed += 1
        print(f"seed {seed}, step {taken.at}: {taken.fault}", flush=True)
        if options.shrink:
            print(walk.as_found(walk.shrink(taken.plan, taken.fault)), flush=True)
        elif options.transcript:
            print("\n".join(taken.transcript))
        if options.first:
            break
    seconds = time.process_time() - began
    print(f"{count} steps, {count / seconds:.0f} a second of processor; {failed} walks failed")
    print(f"{len(pressed)} kinds of actions and commands: {dict(pressed.most_common())}")
    return min(failed, 1)


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != _HASH_SEED:
        # What stands in a set is taken in the same order each time.
        os.environ["PYTHONHASHSEED"] = _HASH_SEED
        os.execv(sys.executable, [sys.executable, "-m", "tests.simulation", *sys.argv[1:]])
    sys.exit(main())
