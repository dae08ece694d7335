"""`python -m exactdp.reproduce`: the same as `exactdp reproduce`."""

import sys

import click

from exactdp.cli.output import Output
from exactdp.errors import ExactdpError
from exactdp.reproduce.command import command

if __name__ == "__main__":
    output = Output()
    output.command = "reproduce"
    try:
        code = command.main(prog_name="reproduce", standalone_mode=False, obj=output)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except ExactdpError as error:
        code = output.failed(error)
    except (KeyboardInterrupt, click.Abort):
        code = 130
    sys.exit(code)
