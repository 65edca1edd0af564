"""An S3 server in its own process, which runs until its standard input is closed."""

import os
import sys

# Allow small parts, so that tests of multipart uploads need no large files.
os.environ["S3_UPLOAD_PART_MIN_SIZE"] = "1"

from moto.server import ThreadedMotoServer

server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print("http://{}:{}".format(*server.get_host_and_port()), flush=True)  # noqa: T201 - to the fixture
sys.stdin.read()
server.stop()
