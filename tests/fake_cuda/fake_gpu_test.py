"""ddltrain on a fake GPU, as a user runs it: training, layers and collectives with --device cuda and --backend nccl,
and what the program says and leaves behind when the GPU's side breaks. The fake checks every call's order of streams.

python3 fake_gpu_test.py DDLTRAIN DDLSIM FOLDER_OF_THE_FAKE FAKE_CUDA_TEST
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

DDLTRAIN, DDLSIM, FAKE, FAKE_TEST = (os.path.abspath(path) for path in sys.argv[1:5])
LIMIT_S = 250  # far above what anything here takes, on a busy machine too; a hang must not hold up the rest
LENET = ("--model", "lenet5", "--data", "digits", "--train-samples", "320", "--test-samples", "50", "--epochs", "2")
GPU = ("--device", "cuda")
FEW = ("--repetitions", "3")


def run(*words, program=DDLTRAIN, **environment):
    folders = [FAKE, os.environ.get("LD_LIBRARY_PATH", "")]
    changed = {"LD_LIBRARY_PATH": ":".join(filter(None, folders)), **environment}
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=LIMIT_S,
                          env={**os.environ, **changed})


def losses(output):
    return re.findall(r"loss (\S+)", output)


def left_in_shared_memory():
    return {name for name in os.listdir("/dev/shm") if "fake" in name}


def fake_sockets():
    with open("/proc/net/unix") as sockets:
        return sockets.read().count("ddltrain-fake-nccl")


class FakeGpu(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="ddltrain_fake_")
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = os.path.join(self.folder, "run.jsonl")

    def records(self):
        with open(self.file) as lines:
            return [json.loads(line) for line in lines]

    def well(self, *words, **environment):
        done = run(*words, **environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("fake CUDA:", done.stderr)
        return done

    def badly(self, *words, **environment):
        """One message and status 1; returns the message. Two ranks may both come to say it before the job has ended."""
        done = run(*words, **environment)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        said = {line for line in done.stderr.splitlines() if line.startswith("ddltrain: ")}
        self.assertEqual(len(said), 1, done.stderr)
        self.assertEqual(left_in_shared_memory(), set())
        return said.pop()


class Training(FakeGpu):
    def same_as_on_the_processor(self, strategy, *gpu_words):
        """Ranks' parameters are compared by the program itself after every synchronous run."""
        words = ("train", *LENET, "--ranks", "2", "--strategy", strategy)
        on_gpu = self.well(*words, *GPU, *gpu_words, "--output", self.file)
        on_processor = self.well(*words)
        self.assertEqual(len(losses(on_gpu.stdout)), 2)
        self.assertEqual(losses(on_gpu.stdout), losses(on_processor.stdout))
        return on_gpu

    def test_nccl_sums_gradients(self):
        done = self.same_as_on_the_processor("all-reduce", "--backend", "nccl")
        self.assertIn("NCCL 2.28.9", done.stdout)
        self.assertEqual(fake_sockets(), 0)

    def test_nccl_in_other_groupings(self):
        for words in (("--grouping", "single"), ("--grouping", "per-tensor"), ("--overlap", "off")):
            with self.subTest(words):
                self.well("train", *LENET, *GPU, "--ranks", "2", "--backend", "nccl", *words)

    def test_ring_through_host_memory(self):
        self.same_as_on_the_processor("ring")

    def test_library_all_reduce_through_host_memory(self):
        self.same_as_on_the_processor("all-reduce")

    def test_servers_through_host_memory(self):
        self.same_as_on_the_processor("ps", "--servers", "1")

    def test_without_overlap_through_host_memory(self):
        self.same_as_on_the_processor("ring", "--overlap", "off")

    def test_buffers_are_broadcast(self):
        """Before the first all-reduce: rank 0's running statistics go to all, by the same way as the gradients."""
        words = ("train", "--model", "mobilenet_v2", "--batch", "2", "--steps", "2", *GPU, "--ranks", "2")
        self.well(*words, "--strategy", "ring")
        self.well(*words, "--backend", "nccl")
        first = self.badly(*words, "--backend", "nccl", DDLTRAIN_FAKE_NCCL_FAULT="fail:1")
        self.assertIn("ncclBroadcast failed", first)
        first = self.badly(*words, "--backend", "nccl", "--broadcast-buffers", "off", DDLTRAIN_FAKE_NCCL_FAULT="fail:1")
        self.assertIn("ncclAllReduce failed", first)

    def test_one_rank_alone(self):
        self.well("train", *LENET, *GPU, "--strategy", "none")

    def test_bf16(self):
        done = self.well("train", *LENET, *GPU, "--ranks", "2", "--backend", "nccl", "--precision", "bf16")
        self.assertEqual(len(losses(done.stdout)), 2)

    def test_no_fp16(self):
        self.assertIn("no fp16", self.badly("train", *LENET, *GPU, "--strategy", "none", "--precision", "amp"))


class Measuring(FakeGpu):
    def test_layers(self):
        self.well("layers", "lenet5", "--cluster", "cpu-2core", *GPU, "--batch", "4,2", *FEW, "--output", self.file)
        context, *records = self.records()
        self.assertEqual([record["record"] for record in records], ["step", "step", "layers"])
        self.assertEqual([timing["batch"] for timing in records[-1]["timings"]], [4, 2])
        self.assertIn("fake GPU, CUDA 13.0", context["software"])

    def test_collectives(self):
        self.well("collectives", "--cluster", "cpu-2core", "--ranks", "2", "--backend", "nccl", "--sizes", "4KiB,1MiB",
                  *FEW, "--output", self.file)
        operations = {(record["operation"], record["size_bytes"]) for record in self.records()[1:]}
        self.assertLessEqual({("all_reduce", 4096), ("all_reduce", 1048576)}, operations)
        self.assertEqual({record["library"] for record in self.records()[1:]}, {"nccl"})

    def test_records_say_so_and_calibrate_nothing(self):
        self.well("train", *LENET, *GPU, "--ranks", "2", "--backend", "nccl", "--cluster", "cpu-2core",
                  "--output", self.file)
        context = self.records()[0]
        self.assertEqual((context["gpu"], context["emulated"]), ("fake GPU", True))
        refused = subprocess.run([DDLSIM, "check", self.file], capture_output=True, text=True, timeout=LIMIT_S)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("fake GPU of ddltrain's tests", refused.stdout + refused.stderr)


    def test_nccl_says_the_transport(self):
        """A fake GPU's records cannot be calibrated, whatever they say of the network."""
        train = ("train", *LENET, *GPU, "--ranks", "2", "--backend", "nccl", "--output", self.file)
        collectives = ("collectives", "--cluster", "cpu-2core", "--ranks", "2", "--backend", "nccl", "--sizes", "4KiB",
                       *FEW, "--output", self.file)
        cases = (({}, "shm"), ({"DDLTRAIN_FAKE_NCCL_CONNECTION": "[send] via NET/IB/0/GDRDMA"}, "nccl-ib"),
                 ({"DDLTRAIN_FAKE_NCCL_CONNECTION": "via P2P/CUMEM"}, "unknown"), ({"NCCL_DEBUG": "VERSION"}, "unknown"))
        for environment, transport in cases:
            for words in (train, collectives):
                with self.subTest(words[0] + str(environment)):
                    self.well(*words, **environment)
                    context, *_, last = self.records()
                    self.assertEqual(last.get("transport", "unknown"), transport)
                    said = [name for name in context["settings"] if name.startswith("NCCL_DEBUG")]
                    self.assertEqual(said, [name for name in environment if name == "NCCL_DEBUG"])
                    os.remove(self.file)


class Faults(FakeGpu):
    TRAIN = ("train", *LENET, *GPU, "--ranks", "2", "--backend", "nccl")
    COLLECTIVES = ("collectives", "--cluster", "cpu-2core", "--ranks", "2", "--backend", "nccl", "--sizes", "1MiB",
                   *FEW)

    def test_no_device(self):
        for words in (self.TRAIN, self.COLLECTIVES):
            self.assertIn("no GPU can be used", self.badly(*words, DDLTRAIN_FAKE_CUDA_DEVICES="0"))

    def test_driver_too_old(self):
        for words in (self.TRAIN, self.COLLECTIVES):
            said = self.badly(*words, DDLTRAIN_FAKE_CUDA_DRIVER="12.2")
            self.assertIn("the NVIDIA driver is too old: it serves CUDA up to 12.2, and libcudart.so.13 is of CUDA 13.0; "
                          "install a driver for CUDA 13.0 or later, or a LibTorch and an NCCL for CUDA 12.2", said)
            self.assertNotIn("no GPU", said)

    def test_no_driver(self):
        for words in (self.TRAIN, self.COLLECTIVES):
            self.assertIn("no NVIDIA driver is loaded", self.badly(*words, DDLTRAIN_FAKE_CUDA_DRIVER="0.0"))

    def test_a_gpu_too_old(self):
        for words in (self.TRAIN, self.COLLECTIVES):
            said = self.badly(*words, DDLTRAIN_FAKE_CUDA_CAPABILITY="7.0")
            self.assertIn("GPU 0 has compute capability 7.0, and CUDA 13.0, with which this program runs, serves 7.5 and "
                          "later; use a LibTorch and an NCCL for CUDA 12, or a newer GPU", said)
        self.assertIn("use a newer GPU", self.badly(*self.TRAIN, DDLTRAIN_FAKE_CUDA_CAPABILITY="3.0"))
        self.well(*self.TRAIN, DDLTRAIN_FAKE_CUDA_CAPABILITY="7.5")

    def test_two_ranks_on_one_gpu(self):
        for words in (self.TRAIN, self.COLLECTIVES):
            said = self.badly(*words, DDLTRAIN_FAKE_CUDA_DEVICES="1")
            self.assertRegex(said, r"ranks 0 and 1 share GPU 0 \(0000:00:00\.0\) of host \S+, and NCCL takes one rank a GPU")
            self.assertIn("a different NCCL_HOSTID for each rank", said)

    def ranks_with(self, of_a_rank, *words, **environment):
        """Two ranks, each with what the shell makes of `of_a_rank`."""
        command = ("mpirun", "-q", "-np", "2", "--allow-run-as-root", "--oversubscribe", "--mca", "plm", "isolated",
                   "sh", "-c", f'export {of_a_rank}; exec "$@"', "sh", DDLTRAIN)
        done = run(*command[1:], *words, program=command[0], **environment)
        self.assertNotIn("fake CUDA:", done.stderr)
        return done

    def test_a_gpu_of_its_own_for_each_rank(self):
        """As launchers give it: every rank sees one GPU, which is its number 0."""
        for words in (self.TRAIN, self.COLLECTIVES):
            done = self.ranks_with("DDLTRAIN_FAKE_CUDA_FIRST=$OMPI_COMM_WORLD_RANK", *words, DDLTRAIN_FAKE_CUDA_DEVICES="1")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_one_gpu_for_ranks_of_hosts_by_name_only(self):
        """For trials: NCCL takes each rank for a host of its own."""
        for words in (self.TRAIN, self.COLLECTIVES):
            done = self.ranks_with("NCCL_HOSTID=rank$OMPI_COMM_WORLD_RANK", *words, DDLTRAIN_FAKE_CUDA_DEVICES="1",
                                   NCCL_MULTI_RANK_GPU_ENABLE="1")
            self.assertEqual(done.returncode, 0, done.stderr)
            done = self.ranks_with("NCCL_HOSTID=one", *words, DDLTRAIN_FAKE_CUDA_DEVICES="1")
            self.assertIn("ranks 0 and 1 share GPU 0", done.stderr)

    def test_out_of_memory(self):
        said = self.badly(*self.COLLECTIVES, DDLTRAIN_FAKE_CUDA_MEMORY="1000")
        self.assertIn("cudaMalloc failed: out of memory", said)
        ring = ("train", *LENET, *GPU, "--ranks", "2", "--strategy", "ring")
        self.assertIn("cudaMallocHost failed: out of memory", self.badly(*ring, DDLTRAIN_FAKE_CUDA_MEMORY="1000"))

    def test_a_call_of_nccl_fails(self):
        for words in (self.TRAIN, self.COLLECTIVES):
            said = self.badly(*words, DDLTRAIN_FAKE_NCCL_FAULT="fail:3")
            self.assertIn("ncclAllReduce failed: unhandled system error", said)

    def test_work_fails_after_its_call_has_returned(self):
        for words in (self.TRAIN, self.COLLECTIVES):
            for fault in ("async:3", "async:3:1"):  # where one rank fails, the others' work fails for that
                with self.subTest(words[0] + " " + fault):
                    self.assertIn("NCCL's work between the GPUs failed: remote process exited",
                                  self.badly(*words, DDLTRAIN_FAKE_NCCL_FAULT=fault))
        self.assertEqual(fake_sockets(), 0)

    def test_a_rank_dies(self):
        for words in (self.TRAIN, self.COLLECTIVES):
            self.assertIn("died of signal 9", self.badly(*words, DDLTRAIN_FAKE_NCCL_FAULT="die:3:1"))
        self.assertEqual(fake_sockets(), 0)


class AtTheEnd(FakeGpu):
    """A fault that no call could report ends a program that would have ended well."""

    def test_left_behind(self):
        done = run("[.leak]", program=FAKE_TEST)
        self.assertEqual(done.returncode, 86)
        self.assertIn("fake CUDA: left behind: 1 streams, 0 events, 1 allocations, 0 communicators", done.stderr)

    def test_untold(self):
        done = run("[.fault]", program=FAKE_TEST)
        self.assertEqual(done.returncode, 86)
        self.assertIn("which is no allocation", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
