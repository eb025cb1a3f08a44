"""What the paper printed: F1 with 5 % of labels, gains, corpora, rows of translations."""

from __future__ import annotations

# Micro-F1 and macro-F1.
F1 = {
    "newsgroups": {
        "laplace": (0.427, 0.421),
        "background": (0.526, 0.523),
        "csss": (0.613, 0.613),
        "ciss": (0.623, 0.616),
    },
    "ohsumed": {
        "laplace": (0.352, 0.205),
        "background": (0.372, 0.280),
        "csss": (0.413, 0.362),
        "ciss": (0.401, 0.344),
    },
    "TDT2": {
        "laplace": (0.926, 0.851),
        "background": (0.934, 0.903),
        "csss": (0.944, 0.937),
        "ciss": (0.942, 0.922),
    },
    "LA Times": {
        "laplace": (0.525, 0.492),
        "background": (0.538, 0.513),
        "csss": (0.581, 0.562),
        "ciss": (0.577, 0.549),
    },
    "LA Times, translations of TDT2": {
        "laplace": (0.525, 0.492),
        "background": (0.538, 0.513),
        "csss": (0.559, 0.541),
        "ciss": (0.558, 0.529),
    },
}

# Gains of CSSS over others in per cent, micro- and macro-F1, as printed: they come from F1 with
# more digits than the tables have, so that they cannot be computed from these.
GAINS = {
    "newsgroups": {"laplace": (43.7, 45.5), "background": (16.6, 17.2), "ciss": (-1.6, -0.5)},
    "ohsumed": {"laplace": (17.3, 76.2), "background": (10.9, 29.1), "ciss": (2.8, 5.3)},
    "TDT2": {"laplace": (2.0, 10.2), "background": (1.0, 3.8), "ciss": (0.2, 1.7)},
    "LA Times": {"laplace": (10.7, 14.3), "background": (7.9, 9.5), "ciss": (0.8, 2.5)},
    "LA Times, translations of TDT2": {
        "laplace": (6.5, 10.0),
        "background": (3.8, 5.4),
        "ciss": (0.2, 2.4),
    },
}

# Classes, documents, phrases, phrases per document, different ones, and the same of words.
STATISTICS = {
    "20 Newsgroups": (20, 19_997, 10_902, 9, 7, 140_277, 157, 91),
    "OHSUMED": (14, 7_400, 28_857, 61, 33, 27_676, 116, 69),
    "TDT2": (10, 7_094, 8_256, 21, 17, 37_994, 221, 138),
    "LA Times": (10, 21_623, 10_414, 8, 7, 63_510, 99, 75),
}

ROWS = {
    "space": """space .245 shuttle .057 launch .053 flight .042 air .035 program .031 center .030
        administration .026 develop .025 like .023 look .022 world .020 director .020 plan .018
        release .017 problem .017 work .016 place .016 mile .015 base .014""",
    "program": """program .193 washington .026 congress .026 administration .024 need .024
        billion .023 develop .023 bush .020 plan .020 money .020 problem .020 provide .020
        writer .018 d .018 help .018 work .017 president .017 house .017 million .016
        increase .016""",
    "space program": """space .101 program .071 nasa .048 shuttle .043 astronaut .041 launch .040
        mission .038 flight .037 earth .037 moon .035 orbit .032 satellite .031 mar .030
        explorer .028 station .028 rocket .027 technology .026 project .025 science .023
        budget .023""",
}


def row(signature: str) -> list[tuple[str, float]]:
    """Return the published row of a signature.

    Examples
    --------
    >>> row("space program")[:2]
    [('space', 0.101), ('program', 0.071)]
    """
    cells = ROWS[signature].split()
    return [(word, float(share)) for word, share in zip(cells[::2], cells[1::2], strict=True)]
