"""`python -m exactdp` is the command `exactdp`."""

from .cli import main

if __name__ == "__main__":
    main()
