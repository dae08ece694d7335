"""`python -m exactdp.certify CERTIFICATE.json`, or alone: `python certify CERTIFICATE.json`."""

import sys

if __package__:
    from exactdp.certify import main
else:  # the directory was run by itself: it needs nothing around it
    from pathlib import Path

    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from certify import main  # type: ignore[attr-defined,no-redef]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
