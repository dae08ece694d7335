"""Private vertex cover: an order of the vertices (paper, section 5.2; Gupta et al. 2010)."""

from itertools import combinations

from exactdp import Dom, Mechanism, eps, expmech, mechanism


def vertex_cover(vertices: int = 3) -> Mechanism:
    """Return an order of the vertices; each edge is covered by its end that comes first.

    The input says for each pair of vertices whether it is an edge. Vertices are picked
    one by one with probability growing with the number of edges not covered yet.
    """
    pairs = tuple(combinations(range(vertices), 2))

    @mechanism
    def vertex_cover(edges: Dom(0, 1)[len(pairs)]):
        left = list(range(vertices))
        order = []
        for _ in range(vertices):
            degrees = [
                sum(
                    edges[k]
                    for k in range(len(pairs))
                    if v in pairs[k] and pairs[k][0] in left and pairs[k][1] in left
                )
                for v in range(vertices)
            ]
            chosen = expmech(eps / (2 * vertices), lambda v: degrees[v], left)  # noqa: B023
            order.append(chosen)
            left = [v for v in left if v != chosen]
        return order

    return vertex_cover


if __name__ == "__main__":
    print(vertex_cover().explain())
