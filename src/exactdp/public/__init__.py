"""What users call: programs, claims and answers with their questions and pictures.

Each class is the plain value of a layer below, and adds what needs the layers above that one.
"""
