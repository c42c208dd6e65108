"""A Debian of essential packages alone, made by mmdebstrap, and commands in it: without network unless they ask for it."""

import subprocess
import tempfile
import time
from pathlib import Path

IN_ROOT = 'mount -t proc proc "$0/proc"; mount -t tmpfs tmp "$0/tmp"; [ -z "$READONLY" ] || { mount --bind "$0/usr" "$0/usr"; mount -o remount,ro,bind "$0/usr"; }; exec chroot "$0" "$@"'
HOME = "/root"
LIVES = ("/proc", "/tmp", "/dev", "/var/lib/dpkg", "/var/log", "/var/cache", "/var/lib/apt")  # what any package changes


class BareRoot:
    """One folder, gone with `remove`. `files` are copied to /packages."""

    def __init__(self, suite, files, include=()):
        self._folder = tempfile.TemporaryDirectory()
        self.path = Path(self._folder.name) / "root"
        words = ["mmdebstrap", "--quiet", "--variant=minbase", *(f"--include={name}" for name in include), suite, self.path]
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=900)
        if done.returncode != 0:
            raise RuntimeError(done.stderr[-2000:])
        (self.path / "packages").mkdir()
        for file in files:
            (self.path / "packages" / file.name).write_bytes(file.read_bytes())

    def remove(self):
        self._folder.cleanup()

    def run(self, *words, read_only=False, home=HOME, status=0):
        """What the command prints, and its complaints."""
        env = {"PATH": "/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": home, "READONLY": "1" if read_only else "",
               "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(["unshare", "--mount", "--net", "sh", "-ec", IN_ROOT, str(self.path), *map(str, words)],
                              capture_output=True, text=True, env=env, cwd="/", timeout=1200)
        if done.returncode != status:
            raise AssertionError(f"{words}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return done.stdout, done.stderr

    def seconds(self, *words):
        begun = time.monotonic()
        self.run(*words)
        return time.monotonic() - begun

    def files(self):
        """Every file and folder but those of /proc and what installing any package changes."""
        found = set()
        for path in self.path.rglob("*"):
            name = "/" + str(path.relative_to(self.path))
            if not name.startswith(LIVES):
                found.add(name)
        return found

    def bytes_of(self, names):
        return sum(path.stat().st_size for path in (self.path / name[1:] for name in names)
                   if path.is_file() and not path.is_symlink())
