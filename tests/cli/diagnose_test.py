"""`ddlsim diagnose`: is it normal, and what explains it."""

import json
import signal
import subprocess
import time

from program import DDLSIM, SOURCE, Case, main, run

SCENARIO = SOURCE / "scenarios" / "pascal-servers-or-horovod.json"
HEALTHY = ("--step", "1=489 ms", "--step", "4=530 ms", "--step", "16=573 ms")
SLOW_NETWORK = ("--step", "1=489 ms", "--step", "4=530 ms", "--step", "16=820 ms", "--step", "64=900 ms")
QUESTION = ("diagnose", SCENARIO, "--strategy", "auto")


def nccl_log(times_us, ranks=16, per_node=4, bus_factor=30 / 16):
    """What nccl-tests print on nodes of so many GPUs: size -> time."""
    devices = "".join(f"#  Rank {rank:2} Group  0 Pid  1000 on  node{rank // per_node} device  {rank % per_node} [0x0{rank % per_node}] "
                      "Tesla P100-PCIE-16GB\n" for rank in range(ranks))
    rows = ""
    average = sum(size / time_us / 1e3 * bus_factor for size, time_us in times_us.items()) / len(times_us)
    for size, time_us in times_us.items():
        bandwidth = size / time_us / 1e3
        rows += f"{size:12} {size // 4:12}     float     sum      -1 " + f"{time_us:8.1f} {bandwidth:6.2f} {bandwidth * bus_factor:6.2f}      0 " * 2 + "\n"
    return ("# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1073741824 step: 16(factor) warmup iters: 5 iters: 20 agg iters: 1 "
            "validation: 1 graph: 0\n#\n# Using devices\n" + devices + "#\n"
            "#                                                              out-of-place                       in-place          \n"
            "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
            "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \n"
            + rows + f"# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {average:g}\n#\n")


class Diagnose(Case):
    def test_healthy_times_are_normal(self):
        result = run(*QUESTION, *HEALTHY)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("Normal: 0 of 3 times are slower", result.stdout)
        self.assertNotIn("What explains it", result.stdout)

    def test_what_is_not_normal_exits_with_3_and_names_the_network(self):
        result = run(*QUESTION, *SLOW_NETWORK)
        self.assertEqual((result.returncode, result.stderr), (3, ""))
        self.assertIn("Not normal: ", result.stdout)
        self.assertIn("none of these", result.stdout)
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 80)
        self.assertLessEqual(len(result.stdout.splitlines()), 20)
        details = run(*QUESTION, *SLOW_NETWORK, "--details").stdout
        self.assertTrue(details.startswith(result.stdout))
        self.assertIn("Every cause, the likeliest first", details)
        first, second = (run(*QUESTION, *SLOW_NETWORK, "--json").stdout for _ in range(2))
        self.assertEqual(first, second)
        answer = json.loads(first)
        self.assertFalse(answer["normal"])
        self.assertIn(answer["causes"][0]["cause"], ("link", "sockets", "gpudirect"))  # each is the way between nodes
        self.assertAlmostEqual(sum(cause["chance"] for cause in answer["causes"]), 1, 6)
        self.assertEqual([point["is"] for point in answer["points"]], ["inside", "inside", "slower", "slower"])

    def expected_us(self, *sizes):
        told = json.loads(run("predict", SCENARIO, "--collective", "all-reduce", "--strategy", "auto", "--gpus", "16",
                              "--sizes", ",".join(f"{size} B" for size in sizes), "--json").stdout)
        return {int(point["size_bytes"]): 1e6 * point["time_s"] for point in told["answers"][0]["points"]}

    def test_a_log_of_nccl_tests(self):
        expected = self.expected_us(1 << 20, 1 << 24, 1 << 28)
        healthy = self.write("healthy.log", nccl_log(expected))
        self.assertEqual(run(*QUESTION, healthy, "--quiet").returncode, 0)
        slow = self.write("slow.log", nccl_log({size: 3 * time_us for size, time_us in expected.items()}))
        result = run(*QUESTION, slow, "--json", "--quiet")
        self.assertEqual(result.returncode, 3, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(len(answer["points"]), 3)
        self.assertIn(answer["causes"][0]["cause"], ("link", "gpudirect", "sockets"))
        self.assertNotIn("loader", {cause["cause"] for cause in answer["causes"]})
        self.assertEqual(answer["points"][0]["what"], "all_reduce")

    def test_a_table_of_rates_and_what_of_it_is_another_question(self):
        table = self.write("rates.csv", "model,batch_per_gpu,gpus,gpus_per_node,rate\nvgg16,64,4,4,480\nvgg16,64,16,4,1790\n"
                                        "vgg16,32,16,4,1500\n")
        result = run(*QUESTION, table)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("rates.csv:4 has 32 samples a GPU, the scenario 64: left out", result.stderr)
        self.assertIn("0 of 2 times", result.stdout)

    def test_a_log_needs_no_scenario(self):
        expected = self.expected_us(1 << 20, 1 << 24, 1 << 28)
        log = self.write("all_reduce.log", nccl_log(expected))
        result = run("diagnose", log, "--cluster", "horovod-pascal", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        self.assertIn("all-reduce on 4 nodes of 4 P100", result.stdout)
        words = run("diagnose", log, "--network", "1x100 Gbps ib", "--quiet")
        self.assertIn(words.returncode, (0, 3), words.stderr)
        self.assertIn("all-reduce on 4 nodes of 4 P100", words.stdout)
        self.refused(run("diagnose", log, "--quiet"), 1, "--network", "the log is of 4 nodes")
        times = run("diagnose", "--cluster", "horovod-pascal", "--model", "vgg16", "--batch-per-gpu", "64", *HEALTHY, "--preset", "horovod")
        self.assertEqual(times.returncode, 0, times.stderr + times.stdout)
        self.refused(run("diagnose", "--cluster", "horovod-pascal", *HEALTHY), 1, "--model", "--batch-per-gpu")

    def test_a_log_of_training_asks_for_what_it_does_not_say_by_option(self):
        steps = "".join(f" iteration {step:8}/ 100 | elapsed time per iteration (ms): 530.{step % 7} | global batch size: 1024 |\n"
                        for step in range(1, 40))
        log = self.write("train.log", steps)
        self.refused(run("diagnose", log, "--cluster", "horovod-pascal", "--ranks", "16"), 1, "--model NAME")
        known = ("--cluster", "horovod-pascal", "--ranks", "16", "--model", "vgg16", "--preset", "horovod")
        result = run("diagnose", log, *known)
        self.assertIn("vgg16 on 4 nodes of 4 P100", result.stdout, result.stderr)

    def test_an_operation_that_is_not_timed_alone_is_named(self):
        rows = nccl_log({1 << 20: 900.0, 1 << 24: 9000.0}, bus_factor=1)
        rows = "# Collective test starting: broadcast_perf\n" + rows.replace("sum      -1", "none      0")
        log = self.write("broadcast.log", rows)
        result = run("diagnose", log, "--cluster", "horovod-pascal")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("broadcast was read: not compared", result.stderr)
        self.assertNotIn("no measured time found", result.stderr)

    def test_fewer_gpus_of_each_node_are_seen(self):
        log = self.write("two.log", nccl_log({1 << 20: 900.0, 1 << 24: 9000.0}, ranks=4, per_node=2, bus_factor=6 / 4))
        result = run("diagnose", log, "--cluster", "horovod-pascal")
        self.assertIn("2 of the 4 GPUs of a node", result.stderr)
        self.assertIn("all-reduce on 2 nodes of 2 P100", result.stdout)

    def follow(self, log, *options):
        command = [DDLSIM, *map(str, QUESTION), str(log), "--ranks", "16", "--follow", *options]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def until(self, process, words):
        """Lines up to one that begins so; the test's own time limit ends a program that never says it."""
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith(words):
                return lines
        self.fail("".join(lines) + process.stderr.read())

    def test_a_growing_log_is_followed_and_news_are_told_once(self):
        def steps(milliseconds, count):
            return "".join(f" iteration {step:8}/ 1000 | elapsed time per iteration (ms): {milliseconds + step % 7} | "
                           "global batch size: 1024 |\n" for step in range(1, count))
        log = self.write("train.log", steps(570, 30))
        process = self.follow(log, "--for", "60 s")
        self.until(process, "Normal: 0 of 1 times are slower")
        with log.open("a") as stream:
            stream.write(steps(571, 30))
        time.sleep(2.5)
        with log.open("a") as stream:
            stream.write(steps(1200, 300))
        self.until(process, "Not normal: ")
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, errors)
        self.assertNotIn("Normal:", rest)

    def test_a_log_that_is_not_there_yet_is_waited_for(self):
        process = self.follow(self.folder / "later.log", "--for", "2 s")
        out, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (1, ""))
        self.assertIn("waiting: ", errors)
        self.assertEqual(run(*QUESTION, "--for", "2 s", *HEALTHY).returncode, 2)

    def test_mistakes(self):
        self.refused(run(*QUESTION), 1, "no measured time found")
        self.refused(run(*QUESTION, "--step", "many=1 s"), 1, "give GPUS=TIME")
        self.refused(run(*QUESTION, "--step", "16=1 fortnight"), 1, "--step")
        self.refused(run(*QUESTION, "--step", "999999=1 s"), 1, "more than horovod-pascal may grow to")
        self.refused(run(*QUESTION, self.folder / "none.log"), 1, "none.log")
        self.refused(run("diagnose", SCENARIO, "--strategy", "ring", "--step", "4=1 s"), 1, "the scenario has no strategy")
        self.assertEqual(run(*QUESTION, "--step", "4=1 s", "--level", "2").returncode, 2)


if __name__ == "__main__":
    main()
