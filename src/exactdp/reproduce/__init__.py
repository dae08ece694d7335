"""The experiments of the paper's section 7, run again: an application of exactdp.

A row of the paper's tables (`rows`) is a claim about one of its programs (`programs`). Each is
decided for the program that the authors executed and, where it is another one, for the one that
the paper prints (`run`). Where the text says something else, what is true is worked out
(`differences`). `show` and `summary` say what was found; the command `exactdp reproduce` prints it.
Nothing else imports this package, and it imports only the public names of exactdp.
"""
