"""Random numbers and the order of samples, bit for bit as ddltrain's (trainer/data/batch_order.hpp)."""
import numpy as np

WORDS, MIDDLE = 312, 156  # of the 64-bit Mersenne twister (Matsumoto and Nishimura; C++ std::mt19937_64)
HIGH, LOW = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
MATRIX = np.uint64(0xB5026F5AA96619E9)
ONE = np.uint64(1)


def _first_state(seed):
    state = [seed % 2**64]
    for i in range(1, WORDS):
        state.append((6364136223846793005 * (state[-1] ^ state[-1] >> 62) + i) % 2**64)
    return np.array(state, np.uint64)


def _mixed(here, following, far):
    both = (here & HIGH) | (following & LOW)
    return far ^ (both >> ONE) ^ np.where(both & ONE, MATRIX, np.uint64(0))


def _next_state(old):
    new = np.empty_like(old)
    new[:MIDDLE] = _mixed(old[:MIDDLE], old[1:MIDDLE + 1], old[MIDDLE:])
    new[MIDDLE:-1] = _mixed(old[MIDDLE:-1], old[MIDDLE + 1:], new[:MIDDLE - 1])
    new[-1] = _mixed(old[-1], new[0], new[MIDDLE - 1])
    return new


def _tempered(words):
    words = words ^ (words >> np.uint64(29) & np.uint64(0x5555555555555555))
    words ^= words << np.uint64(17) & np.uint64(0x71D67FFFEDA60000)
    words ^= words << np.uint64(37) & np.uint64(0xFFF7EEE000000000)
    return words ^ words >> np.uint64(43)


def words_of(seed, count):
    """The first `count` numbers of std::mt19937_64 with this seed."""
    state = _first_state(seed)
    blocks = []
    for _ in range(-(-count // WORDS)):
        state = _next_state(state)
        blocks.append(state)
    return _tempered(np.concatenate(blocks))[:count] if blocks else np.empty(0, np.uint64)


def shares(words):
    """Each in [0, 1), 53 bits."""
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


class BatchOrder:
    """Which samples each worker sees: every epoch a new order of all, a step takes the next workers x batch of them."""

    def __init__(self, samples, batch_per_worker, workers, seed):
        self.samples, self.batch_per_worker, self.workers, self.seed = samples, batch_per_worker, workers, seed
        self._epoch, self._order = None, None

    def steps_per_epoch(self):
        return self.samples // (self.batch_per_worker * self.workers)

    def batch(self, step, worker):
        """Sample indices of this worker in step `step` of the whole run."""
        epoch, step = divmod(step, self.steps_per_epoch())
        if epoch != self._epoch:
            self._epoch, self._order = epoch, self._shuffled(epoch)
        first = (step * self.workers + worker) * self.batch_per_worker
        return self._order[first:first + self.batch_per_worker]

    def _shuffled(self, epoch):
        order = list(range(self.samples))
        words = words_of(self.seed + 0x9E3779B97F4A7C15 * (epoch + 1), max(self.samples - 1, 0)).tolist()
        for word, last in zip(words, range(self.samples - 1, 0, -1)):
            other = word % (last + 1)
            order[last], order[other] = order[other], order[last]
        return np.array(order)
