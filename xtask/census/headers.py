"""Fetches the headers of wheels, and nothing else of them: `headers.py FOLDER REQUIREMENT...`.

Some of these wheels hold hundreds of megabytes for a few headers, so the archives are read by ranges.
"""

import io
import json
import pathlib
import subprocess
import sys
import urllib.request
import zipfile

BLOCK = 1 << 18


class Remote(io.RawIOBase):
    """A file on a server, of which only those blocks are fetched that somebody reads."""

    def __init__(self, url):
        self.url, self.at, self.blocks = url, 0, {}
        with urllib.request.urlopen(urllib.request.Request(url, method="HEAD")) as answer:
            self.size = int(answer.headers["Content-Length"])

    def seekable(self):
        return True

    def readable(self):
        return True

    def tell(self):
        return self.at

    def seek(self, offset, whence=io.SEEK_SET):
        self.at = offset + (0, self.at, self.size)[whence]
        return self.at

    def block(self, number):
        if number not in self.blocks:
            last = min(self.size, (number + 1) * BLOCK) - 1
            request = urllib.request.Request(self.url, headers={"Range": f"bytes={number * BLOCK}-{last}"})
            with urllib.request.urlopen(request) as answer:
                self.blocks[number] = answer.read()
        return self.blocks[number]

    def read(self, count=-1):
        end = self.size if count < 0 else min(self.size, self.at + count)
        read = bytearray()
        while self.at < end:
            number, start = divmod(self.at, BLOCK)
            part = self.block(number)[start : start + end - self.at]
            read += part
            self.at += len(part)
        return bytes(read)


def address(requirement):
    """Where pip would fetch the wheel from."""
    options = "--dry-run --no-deps --ignore-installed --quiet --only-binary=:all: --report -".split()
    command = [sys.executable, "-m", "pip", "install", *options, requirement]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return report["install"][0]["download_info"]["url"]


def fetch(requirement, folder):
    """Writes all headers of a wheel below a folder, without the folders that the wheel puts around `include`."""
    with zipfile.ZipFile(Remote(address(requirement))) as wheel:
        for name in wheel.namelist():
            _, include, path = f"/{name}".partition("/include/")
            if include and path and not path.endswith("/"):
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(wheel.read(name))


for requirement in sys.argv[2:]:
    fetch(requirement, pathlib.Path(sys.argv[1]))
    print(requirement, flush=True)
