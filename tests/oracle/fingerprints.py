"""Fingerprints of texts, the slow and obvious way."""

G, M, MODULUS = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 2**64


def fingerprint(text):
    data = text.encode("utf-8", "surrogatepass")
    h = len(data) * G % MODULUS
    for at in range(0, len(data), 8):
        h = _mixed(h ^ int.from_bytes(data[at : at + 8], "little"))
    return _mixed(h)


def _mixed(h):
    product = h * M % MODULUS
    return product ^ product >> 32
