"""What `cmake --install` and the Debian package put where, used from another folder.

usage: python3 install_test.py BUILD_FOLDER SOURCE_FOLDER [CASE...]
"""

import json
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path

BUILD, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
QUESTION = ["predict", "scenarios/iris-resnet50.json", "--gpus", "8", "--strategy", "ring", "--json"]


def run(*words, cwd=None, **more):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, cwd=cwd, timeout=1800, **more)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.program = cls.prefix / "bin" / "ddlsim"
        cls.answer = json.loads(run(BUILD / "bin" / "ddlsim", *QUESTION, cwd=SOURCE))

    def ask(self, program, **more):
        return json.loads(run(program, *QUESTION, cwd=self.folder, **more))

    def test_a_shipped_scenario_is_found_from_another_folder(self):
        self.assertEqual(self.ask(self.program), self.answer)

    def test_the_installed_data_are_read_not_those_of_the_sources(self):
        priors = self.prefix / "share" / "ddlsim" / "platforms" / "priors.json"
        kept = priors.read_text()
        self.addCleanup(priors.write_text, kept)
        priors.write_text("{")
        done = subprocess.run([self.program, *QUESTION], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(priors), done.stderr)

    def test_a_file_of_ones_own_goes_before_the_shipped_one(self):
        own = self.folder / "scenarios" / "iris-resnet50.json"
        own.parent.mkdir()
        self.addCleanup(shutil.rmtree, own.parent)
        scenario = json.loads((SOURCE / "scenarios" / "iris-resnet50.json").read_text())
        own.write_text(json.dumps(scenario | {"batch_per_gpu": 64}))
        self.assertEqual(self.ask(self.program)["batch_per_gpu"], 64)

    def test_a_word_is_explained_from_the_installed_glossary(self):
        said = run(self.program, "explain", "straggling", cwd=self.folder)
        self.assertEqual(said, run(BUILD / "bin" / "ddlsim", "explain", "straggling"))
        self.assertTrue((self.prefix / "share" / "ddlsim" / "docs" / "glossary.md").is_file())

    def test_a_moved_installation_still_works(self):
        moved = self.folder / "moved"
        self.prefix.rename(moved)
        self.addCleanup(moved.rename, self.prefix)
        self.assertEqual(self.ask(moved / "bin" / "ddlsim"), self.answer)

    def told(self, *more, program=None, env=None, status=0):
        """The answer, and what is said beside it. Of calibrations, only a folder of this test is written."""
        env = os.environ | {"DDLSIM_CACHE": str(self.folder / "cache")} | (env or {})
        done = subprocess.run([*map(str, (program or self.program,)), *QUESTION, *map(str, more)], capture_output=True, text=True,
                              cwd=self.folder, env=env, timeout=1800)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout) if status == 0 else None, done.stderr

    def changed(self, name, content):
        """Writes a file of the installation, until the end of the test."""
        file = self.prefix / "share" / "ddlsim" / name
        self.addCleanup(file.write_bytes, file.read_bytes())
        file.write_bytes(content)
        return file

    def calibration(self):
        (file,) = (self.prefix / "share" / "ddlsim" / "calibrations").glob("iris-????????????????.json")
        return file

    def test_a_cut_calibration_is_said_and_fitted_again(self):
        file = self.calibration()
        self.changed(f"calibrations/{file.name}", file.read_bytes()[:1000])
        answer, said = self.told()
        self.assertEqual(answer, self.answer)
        self.assertIn(f"{file} is damaged", said)

    def test_a_missing_folder_of_data_is_named(self):
        data = self.prefix / "share" / "ddlsim"
        (data / "platforms").rename(data / "away")
        self.addCleanup((data / "away").rename, data / "platforms")
        said = self.told(status=1)[1]
        self.assertTrue(said.startswith(f"{data}: has no platforms/"), said)
        self.assertIn("install ddlsim again", said)
        self.assertEqual(said.count("\n"), 1)

    def test_a_cut_file_of_the_installation_is_named_as_such(self):
        file = self.changed("platforms/gpus.json", b'{"format": "ddl')
        said = self.told(status=1)[1]
        self.assertTrue(said.startswith(f"{file}: "), said)
        self.assertIn("belongs to the installation of ddlsim", said)

    def test_data_of_another_version_are_read_and_said_once(self):
        version = (SOURCE / "VERSION").read_text().strip()
        copy = self.folder / "newer"
        shutil.copytree(self.prefix / "share" / "ddlsim", copy)
        self.addCleanup(shutil.rmtree, copy)
        (copy / "VERSION").write_text("9.9.0\n")
        answer, said = self.told("--data", copy)
        self.assertEqual((answer, said), (self.answer, f"the data in {copy} are of ddlsim 9.9.0, and this is ddlsim {version}\n"))
        self.assertEqual(self.told("--data", copy, "--quiet"), (self.answer, ""))
        (copy / "scenarios" / "presets.json").write_text('{"format": "ddlsim-presets", "version": 99, "presets": []}')
        said = self.told("--data", copy, "--quiet", status=1)[1]
        self.assertIn("presets.json", said)
        self.assertIn("are of ddlsim 9.9.0", said)
        (copy / "VERSION").write_bytes(b"\x1b[31m" + b"x" * 5000)
        self.assertLess(len(self.told("--data", copy, status=1)[1].splitlines()[-1]), 300)

    def test_a_cache_of_another_version_is_left_alone(self):
        cache = self.folder / "old"
        cache.mkdir()
        self.addCleanup(shutil.rmtree, cache)
        theirs = cache / "iris-0123456789abcdef.json"
        theirs.write_text('{"format": "ddlsim-calibration", "version": 99}')
        kept = self.calibration()
        (cache / kept.name).write_text('{"format": "ddlsim-calibration", "version": 99}')
        away = kept.rename(self.folder / "kept")
        self.addCleanup(away.rename, kept)
        answer, said = self.told(env={"DDLSIM_CACHE": str(cache)})
        self.assertEqual(answer, self.answer)
        self.assertIn("of another version", said)
        self.assertTrue(theirs.is_file())
        self.assertEqual(self.told(env={"DDLSIM_CACHE": str(cache)}), (self.answer, ""))

    def test_no_network_no_home_and_a_prefix_that_cannot_be_written(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        script = 'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; exec env -i HOME=/nonexistent "$0/bin/ddlsim" "$@"'
        done = subprocess.run(["unshare", "--mount", "--net", "sh", "-ec", script, self.prefix, *QUESTION], capture_output=True,
                              text=True, cwd="/", timeout=600)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout), self.answer)

    def test_a_processor_without_avx(self):
        if shutil.which("qemu-x86_64") is None:
            self.skipTest("qemu-user is not installed")
        self.assertEqual(json.loads(run("qemu-x86_64", "-cpu", "Nehalem", self.program, *QUESTION, cwd=self.folder)), self.answer)

    def test_each_command_has_a_man_page(self):
        if shutil.which("help2man") is None:
            self.skipTest("help2man is not installed")
        pages = {page.stem for page in (self.prefix / "share" / "man" / "man1").iterdir()}
        commands = run(self.program, "complete", "").split()
        self.assertEqual(pages, {"ddlsim"} | {f"ddlsim-{command}" for command in commands})
        text = (self.prefix / "share" / "man" / "man1" / "ddlsim-predict.1").read_text()
        self.assertIn(r"\-\-fidelity", text)
        self.assertNotIn(str(SOURCE), text)

    def test_bash_completes_names(self):
        script = self.prefix / "share" / "bash-completion" / "completions" / "ddlsim"
        typed = 'COMP_WORDS=(ddlsim predict --cluster dgx1); COMP_CWORD=3; _ddlsim; echo "${COMPREPLY[*]}"'
        path = f"{self.program.parent}:{os.environ['PATH']}"
        out = run("bash", "-c", f"source {script}; {typed}", env=os.environ | {"PATH": path})
        self.assertEqual(out.split(), ["dgx1-p100", "dgx1-v100"])

    def test_a_module_file_puts_the_program_on_the_path(self):
        modulecmd = next((file for file in map(Path, ("/usr/lib/x86_64-linux-gnu/modulecmd.tcl",
                                                      "/usr/share/modules/libexec/modulecmd.tcl")) if file.exists()), None)
        if modulecmd is None:
            self.skipTest("Environment Modules is not installed")
        folder = self.prefix / "share" / "modulefiles"
        env = {"PATH": os.environ["PATH"], "MODULEPATH": str(folder), "HOME": str(self.folder)}
        out = run("tclsh", modulecmd, "bash", "load", "ddlsim", env=env)
        self.assertIn(str(self.program.parent), out)

    def test_a_cxx_program_stands_on_the_cmake_package(self):
        run("cmake", "-S", SOURCE / "packaging" / "example", "-B", self.folder / "example", "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", self.folder / "example")
        said = run(self.folder / "example" / "ask", cwd=self.folder)
        self.assertIn(f"{self.answer['points'][0]['samples_per_s']:.9g} samples/s", said)


class Examples(unittest.TestCase):
    def test_gnuplot_draws_the_csv(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("gnuplot is not installed")
        with tempfile.TemporaryDirectory() as folder:
            run(BUILD / "bin" / "ddlsim", *QUESTION[:2], "--gpus", "1,4,8", "--strategy", "ring", "--csv", "--output", "curve.csv", cwd=folder)
            picture = run("gnuplot", "-e", "file='curve.csv'", SOURCE / "docs" / "examples" / "efficiency.gp", cwd=folder)
        self.assertIn("<svg", picture)
        self.assertIn("efficiency", picture)


class SpackRecipe(unittest.TestCase):
    """Read with a stand-in for Spack's modules, which notes what the recipe says: by Spack before 1.0, and since."""

    def recipe(self, since_1_0):
        said = []

        def note(name):
            return lambda *words, **more: said.append((name, *words, more))

        class CMakePackage:
            def __init__(self, *chosen):
                self.chosen = chosen
                self.spec = self

            def satisfies(self, variant):
                return variant in self.chosen

            def define(self, name, value):
                return f"-D{name}={({True: 'ON', False: 'OFF'}).get(value, value)}"

            def define_from_variant(self, name, variant):
                return self.define(name, f"+{variant}" in self.chosen)

        parts = {"CMakePackage": CMakePackage, "generator": note("generator")}
        directives = {name: note(name) for name in ("license", "version", "variant", "depends_on")}
        modules = {name: types.ModuleType(name) for name in ("spack", "spack.package")}
        vars(modules["spack.package"]).update(directives if since_1_0 else directives | parts)
        if since_1_0:
            path = ("spack_repo", "builtin", "build_systems", "cmake")
            modules |= {".".join(path[:depth]): types.ModuleType(".".join(path[:depth])) for depth in range(1, 5)}
            vars(modules[".".join(path)]).update(parts)
        with unittest.mock.patch.dict(sys.modules, modules):
            names = runpy.run_path(str(SOURCE / "packaging/spack/package.py"))
        return names["Ddlsim"], said

    def test_it_is_read_by_either_spack_and_says_the_same(self):
        self.assertEqual(self.recipe(True)[1], self.recipe(False)[1])

    def test_what_find_package_asks_for_is_depended_on(self):
        needs = {words[1].partition("@")[0] for words in self.recipe(True)[1] if words[0] == "depends_on"}
        cmake = (SOURCE / "CMakeLists.txt").read_text() + "".join(file.read_text() for file in (SOURCE / "cmake").glob("*.cmake"))
        asked = {"Eigen3": "eigen", "nlohmann_json": "nlohmann-json", "CLI11": "cli11", "fmt": "fmt", "PkgConfig": "pkgconfig"}
        for name, package in asked.items():
            self.assertRegex(cmake, rf"find_package\({name}\b")
            self.assertIn(package, needs)
        self.assertIn("simgrid", needs)

    def test_its_options_are_those_of_the_build(self):
        package, _ = self.recipe(True)
        known = (BUILD / "CMakeCache.txt").read_text()
        for chosen in ((), ("+trainer",)):
            arguments = package(*chosen).cmake_args()
            for argument in arguments:
                self.assertRegex(known, rf"(?m)^{argument[2:].partition('=')[0]}:")


class Completion(unittest.TestCase):
    def offered(self, *words):
        return run(BUILD / "bin" / "ddlsim", "complete", *words).split()

    def test_commands_options_and_values(self):
        self.assertEqual(self.offered("pre"), ["predict"])
        self.assertEqual(self.offered("predict", "--fid"), ["--fidelity"])
        self.assertEqual(self.offered("predict", "--strategy", "ring,ps"), ["ring,ps", "ring,ps-async"])
        self.assertEqual(self.offered("list", "mo"), ["models"])
        self.assertIn("nccl-tests", self.offered("import", ""))
        self.assertEqual(self.offered("explain", "global"), ["global-batch"])

    def test_where_a_file_may_stand_the_shell_is_left_to_offer_files(self):
        self.assertEqual(self.offered("predict", ""), [])
        self.assertEqual(self.offered("predict", "--output", ""), [])

    def test_nonsense_offers_nothing(self):
        self.assertEqual(self.offered(), [])
        self.assertEqual(self.offered("predict", "--cluster", "\x1b[31m"), [])


class Debian(unittest.TestCase):
    def test_the_package_holds_program_and_data_and_names_what_it_needs(self):
        if shutil.which("dpkg-deb") is None:
            self.skipTest("no Debian")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
            (package,) = folder.glob("ddlsim_*.deb")
            needs = run("dpkg-deb", "--field", package, "Depends")
            self.assertIn("libsimgrid", needs)
            run("dpkg-deb", "--extract", package, folder / "root")
            answer = json.loads(run(folder / "root" / "usr" / "bin" / "ddlsim", *QUESTION, cwd=folder))
            self.assertEqual(answer, json.loads(run(BUILD / "bin" / "ddlsim", *QUESTION, cwd=SOURCE)))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
