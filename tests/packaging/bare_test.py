"""What ./run release made, installed into a bare Debian 12 and 13, and asked there.

usage: python3 bare_test.py PACKAGES DDLSIM SOURCE_FOLDER [CASE...]; needs root and mmdebstrap (else status 77)
"""

import json
import math
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from bare_root import BareRoot

PACKAGES, DDLSIM, SOURCE = (Path(word).resolve() for word in sys.argv[1:4])
QUESTION = ["predict", "scenarios/iris-resnet50.json", "--gpus", "1,8,96", "--strategy", "auto", "--quiet"]
RELATIVE = 1e-9  # another C library rounds otherwise
MOST_BYTES = 25e6
MOST_SECONDS = 30.0


def differences(one, other, path=""):
    """Paths of what differs by more than rounding."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [found for key in one for found in differences(one[key], other[key], f"{path}/{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [found for i, pair in enumerate(zip(one, other)) for found in differences(*pair, f"{path}/{i}")]
    if isinstance(one, float) and isinstance(other, float):
        return [] if math.isclose(one, other, rel_tol=RELATIVE) else [path]
    return [] if one == other else [path]


def package(pattern):
    found = [*PACKAGES.glob(f"*/{pattern}")]
    assert len(found) == 1, f"{PACKAGES} has {len(found)} {pattern}: ./run release makes one"
    return found[0]


class Way:
    """One way into one suite. The name of the last test sorts last: it uninstalls."""

    include = ()
    needed = ()  # a command before it is installed

    @classmethod
    def setUpClass(cls):
        cls.file = package(cls.pattern)
        cls.root = BareRoot(cls.suite, [cls.file], cls.include)
        cls.addClassCleanup(cls.root.remove)
        cls.needed_s = cls.root.seconds(*cls.needed) if cls.needed else 0.0
        cls.before = cls.root.files()
        cls.install_s = cls.root.seconds(*cls.install, f"/packages/{cls.file.name}")
        cls.installed = cls.root.files() - cls.before
        cls.answer_s = cls.root.seconds("ddlsim", *QUESTION)
        cls.data = cls.root.path / cls.data_folder

    def test_it_is_small_and_quickly_there(self):
        print(f"\n{type(self).__name__}: {self.file.name} has {self.file.stat().st_size / 1e6:.1f} MB, "
              f"{self.root.bytes_of(self.installed) / 1e6:.1f} MB in {len(self.installed)} files and folders when installed; "
              f"prepared in {self.needed_s:.1f} s, installed in {self.install_s:.1f} s, first answer in {self.answer_s:.1f} s")
        self.assertLess(self.file.stat().st_size, MOST_BYTES)
        self.assertLess(self.install_s + self.answer_s, MOST_SECONDS)

    def test_it_answers_as_the_program_that_was_built(self):
        built = subprocess.run([DDLSIM, *QUESTION], capture_output=True, text=True, check=True, cwd=SOURCE).stdout
        self.assertEqual(self.root.run("ddlsim", *QUESTION)[0], built)
        built = subprocess.run([DDLSIM, *QUESTION, "--json"], capture_output=True, text=True, check=True, cwd=SOURCE).stdout
        self.assertEqual(differences(json.loads(built), json.loads(self.root.run("ddlsim", *QUESTION, "--json")[0])), [])

    def test_its_smoke_test_passes_without_network_and_home_from_a_folder_that_cannot_be_written(self):
        said, _ = self.root.run("sh", f"/{self.data_folder}/smoke_test.sh", read_only=True, home="/nonexistent")
        self.assertIn("answers", said)

    def test_the_licences_of_what_is_inside_come_with_it(self):
        names = {file.name for file in (self.data / "licences").iterdir()}
        self.assertLessEqual({"README", "simgrid.txt", "fmt.txt", "zstd.txt", "boost.txt", "eigen.txt"}, names)
        self.assertIn("GNU LESSER GENERAL PUBLIC LICENSE", (self.data / "licences" / "simgrid.txt").read_text())

    def test_a_cut_calibration_is_fitted_again_and_said(self):
        (file,) = (self.data / "calibrations").glob("iris-????????????????.json")
        whole = file.read_bytes()
        self.addCleanup(file.write_bytes, whole)
        told = self.root.run("ddlsim", *QUESTION)[0]
        file.write_bytes(whole[:len(whole) // 2])
        out, complaints = self.root.run("ddlsim", *[word for word in QUESTION if word != "--quiet"])
        self.assertEqual(out, told)
        self.assertIn("is damaged", complaints)

    def test_z_uninstalled_it_leaves_the_cache_alone(self):
        cache = self.root.path / "root/.cache"
        self.assertLessEqual({file.name for file in cache.iterdir()} if cache.exists() else set(), {"ddlsim", "pip"})
        self.root.run(*self.uninstall)
        left = {name for name in self.root.files() - self.before if not name.startswith("/root/.cache")}
        self.assertEqual(left, set())
        self.assertEqual(self.before - self.root.files(), set())


class Debian(Way):
    pattern = "ddlsim_*_amd64.deb"
    install = ("dpkg", "--install")
    uninstall = ("dpkg", "--purge", "ddlsim")
    data_folder = "usr/share/ddlsim"

    def test_pages_documents_and_completions_are_there(self):
        for name in ("share/man/man1/ddlsim-predict.1", "share/doc/ddlsim/docs/quickstart.md", "share/doc/ddlsim/copyright",
                     "share/bash-completion/completions/ddlsim", "share/zsh/vendor-completions/_ddlsim"):
            self.assertTrue((self.root.path / "usr" / name).is_file(), name)


class Wheel(Way):
    pattern = "ddlsim-*.whl"
    include = ("python3-venv",)
    needed = ("python3", "-m", "venv", "/venv")
    install = ("pip", "install", "--no-index")
    uninstall = ("pip", "uninstall", "--yes", "ddlsim")

    @classmethod
    def setUpClass(cls):
        cls.data_folder = f"venv/lib/python{cls.python}/site-packages/ddlsim/share/ddlsim"
        super().setUpClass()

    def test_python_asks_it(self):
        said, _ = self.root.run("python", "-c", "import ddlsim; print(ddlsim.predict(model='resnet50_v1.5', cluster='iris', "
                                "gpus=8, strategy='ring', batch_per_gpu=64).fastest.gpus)")
        self.assertEqual(said.strip(), "8")

    def test_two_versions_side_by_side_share_a_cache_and_answer_alike(self):
        told = self.root.run("ddlsim", *QUESTION)[0]
        self.root.run("cp", "-r", "/venv/lib", "/older")
        self.addCleanup(shutil.rmtree, self.root.path / "older")
        older = self.root.path / "older" / f"python{self.python}" / "site-packages" / "ddlsim"
        (older / "share/ddlsim/VERSION").write_text("0.0.9\n")
        shutil.rmtree(older / "share/ddlsim/calibrations")
        records = next((older / "share/ddlsim/platforms/iris/measurements").glob("*.jsonl"))
        records.write_text(records.read_text() + "\n")
        program = f"/older/python{self.python}/site-packages/ddlsim/bin/ddlsim"
        out, complaints = self.root.run(program, *[word for word in QUESTION if word != "--quiet"])
        self.assertEqual(out, told)
        self.assertIn("are of ddlsim 0.0.9", complaints)
        self.assertEqual(self.root.run("ddlsim", *QUESTION), (told, ""))


class DebianOn12(Debian, unittest.TestCase):
    suite = "bookworm"


class DebianOn13(Debian, unittest.TestCase):
    suite = "trixie"


class WheelOn12(Wheel, unittest.TestCase):
    suite, python = "bookworm", "3.11"


class WheelOn13(Wheel, unittest.TestCase):
    suite, python = "trixie", "3.13"


if __name__ == "__main__":
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None or not PACKAGES.is_dir():
        print(f"skipped: needs root, mmdebstrap and {PACKAGES}, which ./run release makes")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
