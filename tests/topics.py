"""Made-up documents of three topics, to compare learners on."""

import numpy as np

WORDS = {
    "sea": "wave salt tide ship fish sail reef whale harbour anchor",
    "sky": "cloud star moon wing bird wind kite storm plane comet",
    "field": "wheat plough barn horse fence seed hay tractor cow meadow",
}


def made_up(n, seed=0, noise=2):
    """Documents of three topics: eight words of their own, some of any."""
    chance = np.random.default_rng(seed)
    every = " ".join(WORDS.values()).split()
    labels = [[*WORDS][i % 3] for i in range(n)]
    texts = [
        " ".join([*chance.choice(WORDS[label].split(), 8), *chance.choice(every, noise)])
        for label in labels
    ]
    return texts, labels
