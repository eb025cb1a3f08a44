"""Have ``tally`` run by a process that waits for such wishes; ``warm_tally.py`` says why.

``python -IS warm_tally_client.py SOCKET ARGUMENTS...`` hands its open files, folder, arguments and
environment over, and leaves with the exit code that it is told.
"""

import json
import os
import socket
import sys

KILLED = 137


def ask(address, arguments):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        wanted = {"arguments": arguments, "environment": dict(os.environ)}
        socket.send_fds(connection, [b"!"], [0, 1, 2, os.open(".", os.O_RDONLY)])
        connection.sendall(json.dumps(wanted).encode())
        connection.shutdown(socket.SHUT_WR)
        return int(connection.recv(4) or KILLED)


if __name__ == "__main__":
    sys.exit(ask(sys.argv[1], sys.argv[2:]))
