"""The discrete Gaussian mechanism.

Source: Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy", NeurIPS
2020.
Bound: its masses are e^(-k^2/(2 s^2)) divided by their sum, a theta function: no closed form.
"""

PROGRAM = """
def noisy(count: Dom(0, 10)):
    return discrete_gaussian(1, count)
"""
