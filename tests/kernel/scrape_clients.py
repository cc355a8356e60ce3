# SPDX-License-Identifier: GPL-2.0-only
"""
Clients of "reader metrics --listen" that mean no good: scrape_clients.py PORT PID

Connections that send a byte now and then, that send nothing, too much, or anything; and in between,
whether others are served. Prints "ok" or what was wrong.
"""
import os
import socket
import sys
import time
import urllib.request

port, pid = int(sys.argv[1]), int(sys.argv[2])
url = f"http://127.0.0.1:{port}/metrics"
MAX_DESCRIPTORS = 64
MAX_RESIDENT_KIB = 64 << 10


def connect():
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def scrape():
    with urllib.request.urlopen(url, timeout=30) as reply:
        assert b"\npersist_up 1\n" in reply.read(), "no metrics"


def check_process():
    descriptors = len(os.listdir(f"/proc/{pid}/fd"))
    assert descriptors <= MAX_DESCRIPTORS, f"{descriptors} descriptors"
    with open(f"/proc/{pid}/status") as status:
        resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    assert resident <= MAX_RESIDENT_KIB, f"{resident} KiB"


def send(data):
    """Sends it all, if the server wants it, and returns what comes back until it closes."""
    with connect() as client:
        reply = b""
        try:
            client.sendall(data)
            while part := client.recv(65536):
                reply += part
        except (ConnectionResetError, BrokenPipeError):
            pass
        return reply


def status_of(data):
    return send(data).split(b"\r\n")[0]


# More of them than are served at a time, each with a request that does not come to an end
slow = [connect() for _ in range(200)]
for number, client in enumerate(slow):
    try:
        client.sendall(b"GET /metrics HTTP/1.1\r\n"[: number % 20])
    except (ConnectionResetError, BrokenPipeError):
        pass  # it had to go for a later one
    if number % 50 == 0:
        scrape()
scrape()
check_process()

# A byte now and then does not make a connection last: each one is closed in the end.
end = time.monotonic() + 60
waiting = slow
while waiting:
    assert time.monotonic() < end, f"{len(waiting)} slow connections are still open"
    still = []
    for client in waiting:
        try:
            client.sendall(b"a")
            client.settimeout(0.001)
            if client.recv(1):
                still.append(client)
        except TimeoutError:
            still.append(client)
        except (ConnectionResetError, BrokenPipeError):
            pass
    waiting = still
    scrape()
    time.sleep(0.2)

request = b"GET /metrics HTTP/1.1\r\nHost: x\r\n"
assert status_of(request + b"\r\n") == b"HTTP/1.1 200 OK"
assert not send(request + b"X: " + b"x" * 1000000).startswith(b"HTTP/1.1 200"), "a huge header"
assert not send(request + b"X: y\r\n" * 100000).startswith(b"HTTP/1.1 200"), "many headers"
assert not send(b"GET /" + b"a" * 1000000 + b" HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 200")
assert not send(b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n" +
                b"x" * 100000).startswith(b"HTTP/1.1 200"), "a huge body"
send(os.urandom(10000))
send(b"\0" * 10000 + b"\r\n\r\n")
send(b"\r\n" * 1000)
send(b"GET  HTTP/9.9\r\n\r\n")
send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
# Two requests at once: a connection is for one.
assert send(2 * (request + b"\r\n")).count(b"HTTP/1.1 200 OK") == 1

# Who does not read what it asked for
deaf = []
for _ in range(100):
    client = connect()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    try:
        client.sendall(request + b"\r\n")
    except (ConnectionResetError, BrokenPipeError):
        pass
    deaf.append(client)
scrape()
check_process()
print("ok")
