"""Actors in threads play, a learner improves their policy: a small REINFORCE loop.

``python scripts/example_rl_loop.py [--rounds 30] [--actors 2]`` prints how the share of won hands
grows. Each actor draws and discards for many hands at once until they win or 18 tiles are drawn; a
hand that wins earns its points, and every hand some for each step nearer to ready, without which
wins would be too rare to learn from. What to take from it:

* the kernels give up the interpreter lock, so actors in plain threads run side by side; each calls
  with ``threads=1``, and no process has to send tiles to another;
* a step is a few calls for all hands: ``score_batch`` says who wins and what for,
  ``discards_batch`` what each discard leaves;
* an actor's games depend on its seed and the policy alone, not on the other threads.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fastmj import GB98, HandBatch, discards_batch, score_batch, shanten_batch

Floats = npt.NDArray[np.float64]
DRAWS = 18
STEP = 4.0  # points for a step nearer to ready
RULES = GB98.replace(name="easy", min_fan=4)


@dataclass
class Rollout:
    """What an actor brings home: the hands' points, and the gradients of what it chose."""

    points: npt.NDArray[np.int16]
    nearer: npt.NDArray[np.int8]  # steps, from the deal to the end
    gradients: Floats  # (hands, weights)
    won: HandBatch


def play(policy: Floats, seed: int, hands: int = 256) -> Rollout:
    """Play hands side by side with a policy: weights of (shanten, tiles accepted, pairs kept)."""
    rng = np.random.default_rng(seed)
    walls = rng.permuted(np.tile(np.repeat(np.arange(34), 4), (hands, 1)), axis=1)
    every = np.arange(hands)
    counts = np.zeros((hands, 34), np.uint8)
    for place in range(13):
        counts[every, walls[:, place]] += 1
    dealt = shanten_batch(counts, threads=1).best
    visible = np.zeros((hands, 34), np.uint8)
    points = np.zeros(hands, np.int16)
    gradients = np.zeros((hands, len(policy)))
    won: list[HandBatch] = []
    playing = every
    for turn in range(DRAWS):
        drawn = walls[playing, 13 + turn]
        counts[playing, drawn] += 1
        drawn_hands = HandBatch(counts[playing], win_tile=drawn, self_drawn=True)
        scores = score_batch(drawn_hands, rules=RULES, threads=1)
        points[playing[scores.wins]] = scores.total[scores.wins]
        won.append(drawn_hands[scores.wins])
        playing = playing[~scores.wins]
        if turn == DRAWS - 1 or not len(playing):
            break
        tiles, gradient = choose(policy, counts[playing], visible[playing], rng)
        gradients[playing] += gradient
        counts[playing, tiles] -= 1
        visible[playing, tiles] += 1
    nearer = dealt - shanten_batch(counts, threads=1).best
    return Rollout(points, nearer, gradients, HandBatch.concat(won))


def choose(
    policy: Floats,
    counts: npt.NDArray[np.uint8],
    visible: npt.NDArray[np.uint8],
    rng: np.random.Generator,
) -> tuple[npt.NDArray[np.intp], Floats]:
    """Discards of all hands, and the gradient of the logarithm of their probability."""
    found = discards_batch(counts, visible=visible, threads=1)
    inputs = np.stack(
        [-found.shanten.astype(float), np.log1p(np.maximum(found.copies, 0)), -1.0 * (counts > 1)],
        axis=2,
    )
    logits = np.where(counts > 0, inputs @ policy, -np.inf)
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    # The last tile with a chance takes what rounding leaves.
    tiles = (chances.cumsum(axis=1) < rng.random((len(counts), 1))).sum(axis=1)
    tiles = np.minimum(tiles, 33 - (chances > 0)[:, ::-1].argmax(axis=1))
    rows = np.arange(len(counts))
    return tiles, inputs[rows, tiles] - (chances[:, :, None] * inputs).sum(axis=1)


def learn(rounds: int, actors: int, rate: float = 0.1) -> tuple[Floats, list[float]]:
    """Improve a policy that begins at random; gives it back with the share won by round."""
    policy, shares = np.zeros(3), []
    with ThreadPoolExecutor(actors) as pool:
        for number in range(rounds):
            seeds = [1000 * number + actor for actor in range(actors)]
            rollouts = list(pool.map(lambda seed, now=policy: play(now, seed), seeds))
            points = np.concatenate([rollout.points for rollout in rollouts])
            nearer = np.concatenate([rollout.nearer for rollout in rollouts])
            gradients = np.concatenate([rollout.gradients for rollout in rollouts])
            reward = points + STEP * nearer
            step = ((reward - reward.mean())[:, None] * gradients).mean(axis=0)
            policy = policy + rate * step
            shares.append(float((points > 0).mean()))
    return policy, shares


def main() -> None:
    """Learn, and print how it goes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--actors", type=int, default=2)
    options = parser.parse_args()
    policy, shares = learn(options.rounds, options.actors)
    for number in range(0, len(shares), max(1, len(shares) // 10)):
        print(f"round {number:>4}: {shares[number]:6.1%} of the hands won")
    print("weights of shanten, accepted tiles, pairs:", np.round(policy, 2).tolist())


if __name__ == "__main__":
    main()
