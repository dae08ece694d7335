"""`python -m exactdp.certify CERTIFICATE.json`, or alone: `python certify CERTIFICATE.json`."""

import os
import sys

if __package__:
    from exactdp.certify import UNWRITTEN, main
else:  # the directory was run alone: it needs no other files
    from pathlib import Path

    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from certify import UNWRITTEN, main  # type: ignore[attr-defined,no-redef]

if __name__ == "__main__":
    code = main(sys.argv[1:])
    if code == UNWRITTEN:
        os._exit(code)  # Python would try again to write the answer, and exit with 120
    sys.exit(code)
