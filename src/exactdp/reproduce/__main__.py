"""`python -m exactdp.reproduce`: the same as `exactdp reproduce`."""

import sys

from exactdp.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "reproduce")
    main()
