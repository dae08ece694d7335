"""The experiments of the paper's section 7, run again: an application of exactdp.

A row of the paper's tables (`rows`) is a claim about one of its programs (`programs`). Each is
decided for the program that the authors executed and, if it differs, for the one printed in the
paper (`run`). Where the text disagrees with the experiments, `differences` determines what is true.
`show` and `summary` present the results; the command `exactdp reproduce` prints them.
Nothing else imports this package, and it imports only the public names of exactdp.
"""
