"""`python -m exactdp` is the command `exactdp`."""

from exactdp.cli import main

if __name__ == "__main__":
    main()
