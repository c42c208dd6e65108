"""Where a file cannot be written or read: one message that names it, exit code 1, and what was there stays.

python3 bad_place_test.py DDLSIM SOURCE_FOLDER [CASE...]
"""
import json
import os
import subprocess

from work import CLUSTER, DDLSIM, SOURCE, Case, main, make_data, run

FULL = "No space left on device"


class BadPlace(Case):
    def setUp(self):
        super().setUp()
        self.data = make_data(self.folder / "data")
        self.records = next((self.data / "platforms" / CLUSTER / "measurements").iterdir())

    def ask(self, *words, **more):
        return run("predict", self.data / "question.json", "--fidelity", "formula", "--data", self.data, "--quiet", *words, **more)

    def writers(self, place):
        """Every way to write one file there."""
        cluster = ("--cluster", CLUSTER, "--data", self.data, "--quiet")
        return (self.ask("--json", "--output", place), self.ask("--html", place), self.ask("--trace", place),
                run("plan", self.data / "request.json", "--data", self.data, "--quiet", "--output", place),
                run("import", "kineto", SOURCE / "tests/fuzz/seeds/kineto-lenet5.json", *cluster, "--set", "batch_per_gpu=16", "--layers", place),
                run("calibrate", *cluster, "--output", place),
                run("calibrate", "--kernels", "--data", SOURCE, "--quiet", "--output", place),
                run("validate", *cluster, "--split", "T1", "--html", place))

    def test_a_full_disk(self):
        for result in self.writers("/dev/full"):
            self.refused(result, 1, "/dev/full: cannot be written", FULL)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_a_full_disk_behind_standard_output(self):
        for words in (("list", "gpus"), ("check", self.data / "question.json"), ("list", "clusters", "--data", self.data)):
            with open("/dev/full", "w") as full:
                done = subprocess.run([DDLSIM, *map(str, words)], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn(FULL, done.stderr)

    def test_a_small_disk_keeps_the_old_file(self):
        """A file system of 16 KiB in a mount namespace of this test."""
        small = self.folder / "small"
        small.mkdir()
        script = ("mount -t tmpfs -o size=16k none {0} && printf old >{0}/page.html && {{ {1} predict {2} --fidelity formula --data {3} --quiet"
                  " --html {0}/page.html >{4}; echo status $?; cat {0}/page.html; echo; ls -A {0}; }}")
        script = script.format(small, DDLSIM, self.data / "question.json", self.data, self.folder / "told")
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True)
        if "unshare" in done.stderr or "mount:" in done.stderr:
            self.skipTest("no mount namespace may be made here: " + done.stderr.strip())
        self.assertEqual(done.stdout, "status 1\nold\npage.html\n", done.stderr)
        self.assertIn(FULL, done.stderr)

    def test_a_folder_in_place_of_a_file(self):
        for result in self.writers(self.folder):
            self.refused(result, 1, f"{self.folder}: this is a folder")
        question = self.data / "question.json"
        question.unlink()
        question.mkdir()
        self.refused(self.ask(), 1, "this is a folder")

    def test_a_folder_that_is_not_there(self):
        for result in self.writers(self.folder / "none" / "a.json"):
            self.refused(result, 1, "none/a.json: cannot be written: No such file or directory")

    def test_a_folder_that_may_only_be_read(self):
        """Root may write anywhere but on a file system that is mounted to be read only."""
        script = f"mount --bind {self.data} {self.data} && mount -o remount,ro,bind {self.data} && exec \"$@\""
        words = ["predict", self.data / "question.json", "--fidelity", "formula", "--data", self.data, "--output", self.data / "a.json"]
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", DDLSIM, *map(str, words)], capture_output=True, text=True)
        if "unshare" in done.stderr or "mount:" in done.stderr:
            self.skipTest("no mount namespace may be made here: " + done.stderr.strip())
        self.refused(done, 1, "a.json: cannot be written: Read-only file system")

    def test_records_that_end_within_a_line(self):
        whole = self.records.read_text()
        self.records.write_text(whole[:len(whole) - 40])
        line = len(whole.splitlines())
        self.refused(run("check", self.records), 1, f"{self.records}:{line}")
        self.refused(run("calibrate", "--cluster", CLUSTER, "--data", self.data, "--output", self.folder / "a"), 1, f"{self.records.name}:{line}")
        self.assertFalse((self.folder / "a").exists())

    def test_a_calibration_of_another_cluster_is_not_used(self):
        before = self.ask().stdout
        other = self.data / "platforms" / CLUSTER / "calibration.json"
        self.assertEqual(run("calibrate", "--cluster", CLUSTER, "--data", self.data, "--quiet").returncode, 0)
        calibration = json.loads(other.read_text())
        calibration["cluster"] = "iris"
        other.write_text(json.dumps(calibration))
        done = run("predict", self.data / "question.json", "--fidelity", "formula", "--data", self.data)
        self.assertEqual((done.returncode, done.stdout), (0, before))
        self.assertIn("calibration.json is of another cluster; a newer fit takes its place", done.stderr)

    def test_a_file_that_ends_early(self):
        for name in ("platforms/gpus.json", "scenarios/presets.json", f"platforms/{CLUSTER}/cluster.json", "scenarios/models/resnet50_v1.json"):
            file = self.data / name
            whole = file.read_bytes()
            file.write_bytes(whole[:len(whole) // 2])
            self.refused(self.ask(), 1, name, "ends too early")
            file.write_bytes(whole)
        self.assertEqual(self.ask().returncode, 0)


if __name__ == "__main__":
    os.environ.pop("NO_COLOR", None)
    main()
