"""Private smart sum: all prefix sums from noisy blocks (paper, section 5.2; Chan, Shi, Song)."""

from exactdp import Mechanism, Real, eps, lap, mechanism


def smart_sum(m: int = 4, block: int = 2) -> Mechanism:
    """Release every prefix sum of m numbers; a full block is released with one sample."""

    @mechanism
    def smart_sum(q: Real[m]):
        done = 0  # the noisy sum of the full blocks
        part = 0  # the exact sum of the block at hand
        running = 0  # the noisy sum of the block at hand
        out = []
        for i in range(m):
            part = part + q[i]
            if (i + 1) % block == 0:
                done = done + lap(eps, part)
                part = 0
                running = 0
                out.append(done)
            else:
                running = running + lap(eps, q[i])
                out.append(done + running)
        return out

    return smart_sum


if __name__ == "__main__":
    print(smart_sum().labelled())
