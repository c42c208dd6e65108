"""Models, clusters and logs of one's own, as a user brings them: docs/your-own.md."""

import json
import os
import pty
import re
import shlex
import subprocess

from program import DDLSIM, SOURCE, Case, main, run

CONFIG = SOURCE / "scenarios" / "examples" / "llama-1b-config.json"
CLUSTER = ("--gpu", "H100-SXM5-80GB", "--gpus-per-node", "8", "--nodes", "16", "--network", "8x400 Gbps ib")


class Own(Case):
    def done(self, *arguments):
        result = run(*arguments, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def bring_both(self):
        self.done("import", "hf-config", CONFIG, "--sequence", "2048", "--output", "my-model.json")
        self.done("new", "cluster", "my-cluster", *CLUSTER)

    def test_the_commands_of_the_page_lead_from_nothing_to_a_prediction(self):
        block = re.search(r"<!-- own: begin -->\n(.*?)<!-- own: end -->", (SOURCE / "docs/your-own.md").read_text(), re.DOTALL).group(1)
        commands = [shlex.split(line) for line in re.findall(r"^    \./run ddlsim (.*)$", block, re.MULTILINE)]
        self.assertEqual([command[0] for command in commands], ["import", "new", "new", "predict"])
        self.assertLessEqual(len(commands) + 1, 5)  # and the one that fetches ddlsim
        (self.folder / "scenarios").mkdir()
        (self.folder / "scenarios" / "examples").symlink_to(SOURCE / "scenarios" / "examples")
        for command in commands:
            result = run(*command, cwd=self.folder)
            self.assertEqual(result.returncode, 0, f"{command}: {result.stderr}")
        words = " ".join(result.stdout.split())
        self.assertIn("my-model", words)
        self.assertIn("my-model on my-cluster (nodes of 8 H100-SXM5-80GB", words)
        self.assertIn("Measure next: ", words)

    def test_what_is_written_passes_check_and_says_what_was_assumed(self):
        model = self.done("import", "hf-config", CONFIG, "--sequence", "2048", "--output", "my-model.json")
        self.assertIn("1,235,814,400 parameters", model.stderr)
        self.assertIn('attn_implementation="sdpa"', model.stderr)
        cluster = self.done("new", "cluster", "my-cluster", *CLUSTER)
        self.assertIn("as azure-nd-h100-v5 has it, is assumed", cluster.stderr)
        scenario = self.done("new", "scenario", "q", "--model", "./my-model.json", "--cluster", "./my-cluster", "--batch", "4",
                             "--precision", "bf16", "--gpus", "8,128")
        self.assertIn("no preset stated: pytorch-ddp is taken", scenario.stderr)
        sharded = self.done("new", "scenario", "both", "--model", "./my-model.json", "--cluster", "./my-cluster", "--batch", "4",
                            "--precision", "bf16", "--gpus", "8", "--strategy", "auto,fsdp")
        self.assertIn("no preset stated: fsdp takes pytorch-fsdp2", sharded.stderr)
        self.assertEqual(json.loads((self.folder / "both.json").read_text())["strategies"],
                         [{"name": "auto"}, {"name": "fsdp", "preset": "pytorch-fsdp2"}])
        checked = self.done("check", "my-model.json", "my-cluster/cluster.json", "q.json")
        self.assertIn("model my-model: ", checked.stdout)
        self.assertIn("cluster my-cluster: 16 nodes of 8 x H100-SXM5-80GB", checked.stdout)
        self.assertIn("scenario q: my-model on my-cluster", checked.stdout)

    def test_every_command_that_asks_a_scenario_takes_own_files(self):
        self.bring_both()
        self.done("new", "scenario", "q", "--model", "./my-model.json", "--cluster", "./my-cluster", "--batch", "4",
                  "--precision", "bf16", "--gpus", "8,16")
        quick = ("--fidelity", "formula")
        answer = json.loads(self.done("predict", "q.json", "--json", *quick).stdout)
        self.assertEqual((answer["model"], answer["cluster"]), ("my-model", "my-cluster"))
        self.assertGreater(answer["points"][-1]["samples_per_s"], 0)
        self.assertEqual(self.done("predict", "q.json", "--json", *quick).stdout, self.done("predict", "q.json", "--json", *quick).stdout)
        self.done("predict", "q.json", "--collective", "all-reduce", "--sizes", "1MiB")
        self.done("export", "simgrid", "q.json", "--output", "mine.xml")
        diagnosed = run("diagnose", "q.json", "--step", "8=\"1 h\"".replace('"', ""), cwd=self.folder)
        self.assertEqual(diagnosed.returncode, 3, diagnosed.stderr)
        swept = self.done("predict", "q.json", "--sweep", "/cluster=./my-cluster,azure-nd-h100-v5", *quick)
        self.assertIn("nd-h100-v5", swept.stdout)

    def test_measurements_of_ones_own_cluster_are_found_in_its_folder(self):
        self.bring_both()
        self.done("new", "scenario", "q", "--model", "./my-model.json", "--cluster", "./my-cluster", "--batch", "4",
                  "--precision", "bf16", "--gpus", "8")
        rates = self.write("rates.csv", "model,batch_per_gpu,gpus,rate,precision,preset,transport\n"
                                        "my-model,4,1,5,bf16,pytorch-ddp,unknown\nmy-model,4,8,39,bf16,pytorch-ddp,nccl-ib\n")
        (self.folder / "my-cluster" / "measurements").mkdir()
        records = "my-cluster/measurements/mine.jsonl"
        self.done("import", "csv", rates, "--cluster", "./my-cluster", "--output", records)
        self.done("check", records)
        answer = json.loads(self.done("predict", "q.json", "--json", "--fidelity", "formula").stdout)
        self.assertAlmostEqual(answer["points"][0]["measured"]["iteration_s"], 32 / 39, places=6)
        self.done("calibrate", "--cluster", "./my-cluster")
        self.assertTrue((self.folder / "my-cluster" / "calibration.json").exists())
        self.done("check", "my-cluster/calibration.json")
        self.done("predict", "q.json", "--fidelity", "formula")

    def test_a_log_is_taken_for_what_it_is(self):
        self.bring_both()
        log = self.write("mpi.log", "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n"
                                    "1048576   250.0\n67108864   9000.0\n\n# OSU MPI Bandwidth Test v7.3\n"
                                    "# Size   Bandwidth (MB/s)\n1024   100.0\n")
        records = "my-cluster/measurements/mpi.jsonl"
        (self.folder / "my-cluster" / "measurements").mkdir()
        read = self.done("import", log, "--cluster", "./my-cluster", "--set", "ranks=16", "--set", "nodes=2",
                         "--set", "transport=nccl-ib", "--output", records)
        self.assertIn("mpi.log looks like mpi-benchmarks", read.stderr)
        self.assertIn('1 rows of "OSU MPI Bandwidth Test v7.3" were left out', read.stderr)
        self.assertIn("2 records were read", read.stderr)
        self.done("check", records)
        self.refused(run("import", self.write("x.log", "nothing\n"), "--cluster", "iris"), 1, "no kind of file that is known")
        self.refused(run("import", "csv"), 2, "FILE")

    def test_a_trace_gives_a_model_and_the_time_that_predicts_with_it(self):
        self.done("new", "cluster", "my-cluster", *CLUSTER)
        (self.folder / "my-cluster" / "measurements").mkdir()
        records = "my-cluster/measurements/trace.jsonl"
        trace = ("import", "kineto", SOURCE / "tests" / "fuzz" / "seeds" / "kineto-lenet5.json", "--cluster", "./my-cluster", "--set",
                 "batch_per_gpu=16", "--set", "preset=pytorch-ddp")
        read = self.done(*trace, "--layers", "my-net.json", "--output", records)
        self.assertIn("my-net: 13 layers, 61706 parameters", read.stderr)
        self.assertIn("2 records were read", read.stderr)
        self.assertIn("made of a trace", json.loads((self.folder / "my-net.json").read_text())["source"])
        checked = self.done("check", "my-net.json", records)
        self.assertIn("model my-net: ", checked.stdout)
        self.done("new", "scenario", "q", "--model", "./my-net.json", "--cluster", "./my-cluster", "--batch", "16", "--gpus", "1,8")
        answer = json.loads(self.done("predict", "q.json", "--json", "--fidelity", "formula").stdout)
        step = json.loads((self.folder / records).read_text().splitlines()[1])
        self.assertAlmostEqual(answer["points"][0]["iteration_s"], step["value"], delta=0.1 * step["value"])
        self.assertEqual(answer["model"], "my-net")
        self.refused(run(*trace, "--layers", "a b.json", cwd=self.folder), 1, "/name")
        self.refused(run(*trace, "--layers", "my-net.json", "--set", "model=lenet5", cwd=self.folder), 1, "the layer table is called")
        log = self.write("x.log", " iteration 1/ 2 | elapsed time per iteration (ms): 3 | global batch size: 32 |\n")
        self.refused(run("import", "steps", log, "--cluster", "iris", "--layers", "x.json"), 1, "only a trace of the PyTorch profiler")

    def test_a_step_that_the_profiler_made_longer_is_neither_learnt_from_nor_judged(self):
        self.done("new", "cluster", "my-cluster", "--gpu", "H200-SXM-141GB", *CLUSTER[2:])  # as the trace names it
        (self.folder / "my-cluster" / "measurements").mkdir()
        self.done("new", "scenario", "q", "--model", "resnet50_v1.5", "--cluster", "./my-cluster", "--batch", "64", "--precision", "bf16",
                  "--gpus", "1")
        ask = ("predict", "q.json", "--json", "--fidelity", "formula")
        before = json.loads(self.done(*ask).stdout)["points"][0]
        trace = SOURCE / "tests" / "import" / "kineto-resnet50-h200.json"
        self.done("import", trace, "--cluster", "./my-cluster", "--set", "model=resnet50_v1.5", "--set", "batch_per_gpu=64",
                  "--set", "preset=pytorch-ddp", "--output", "my-cluster/measurements/trace.jsonl")
        after = json.loads(self.done(*ask).stdout)["points"][0]
        self.assertEqual(after["iteration_s"], before["iteration_s"])
        self.assertTrue(after["measured"]["suspect"])
        told = run("diagnose", "q.json", trace, cwd=self.folder)
        self.refused(told, 1, "nothing in it can be compared")
        self.assertIn("is marked suspect: left out", told.stderr)

    def test_anybodys_log_leads_to_a_verdict_in_one_line(self):
        self.bring_both()
        self.done("new", "scenario", "q", "--model", "./my-model.json", "--cluster", "./my-cluster", "--batch", "4",
                  "--precision", "bf16", "--gpus", "8,16")
        expected = json.loads(self.done("predict", "q.json", "--json", "--fidelity", "formula").stdout)["points"][0]["iteration_s"]
        ms, rate = 1e3 * expected, 32 / expected
        stamps = (0, 32 / rate, 64 / rate)
        mllog = "".join(f':::MLLOG {{"time_ms": {1e12 + 1e3 * at:.1f}, "key": "{key}", "value": {value}, "metadata": {{"samples_count": {count}}}}}\n'
                        for at, key, value, count in ((0, "global_batch_size", 32, 0), (0, "block_start", "null", 0),
                                                      (stamps[1], "block_stop", "null", 32)))
        events = "".join(f'{{"ph": "B", "name": "ALLREDUCE", "ts": {1e6 * at:.0f}, "pid": 1}},\n{{"ph": "E", "ts": {1e6 * at + 9:.0f}, "pid": 1}},\n'
                         for at in stamps)
        kineto = "".join(f'{{"ph": "X", "name": "ProfilerStep#{i}", "ts": {1e6 * at}, "dur": {1e6 * stamps[1]}}},' for i, at in enumerate(stamps))
        logs = {
            "megatron.log": f" iteration 1/ 2 | elapsed time per iteration (ms): {ms} | global batch size: 32 |\n",
            "tf.log": f"1\timages/sec: {rate} +/- 0.0 (jitter = 0.0)\t7\n",
            "keras.log": f"195/195 [====] - 12s {ms}ms/step - loss: 0.3\n",
            "torchrun.log": f"[rank0]: Epoch: [0][ 1/9]\tTime {expected:.6f} ({expected:.6f})\tData 0.0 (0.0)\n",
            "lightning.log": f"Epoch 0: 100%|##| 9/9 [00:12<00:00, {1 / expected}it/s]\n",
            "mlperf.log": mllog,
            "timeline.json": "[\n" + events,
            "trace.json": '{"traceEvents": [' + kineto + '{"ph": "M"}], "distributedInfo": {"world_size": 8}}',
        }
        for name, text in logs.items():
            verdict = run("diagnose", "q.json", self.write(name, text), "--ranks", "8", cwd=self.folder)
            self.assertEqual(verdict.returncode, 0, f"{name}: {verdict.stderr}{verdict.stdout}")
            self.assertIn("Normal: 0 of 1 times", verdict.stdout, name)
        table = self.write("runs.csv", f"net,bs,world,step,when\nmy-model,4,8,{20 * expected},today\n")
        ill = run("diagnose", "q.json", table, "--map", "model=net,batch_per_gpu=bs,gpus=world,iteration_s=step", cwd=self.folder)
        self.assertEqual(ill.returncode, 3, ill.stderr)  # in bf16, as the scenario says
        self.refused(run("diagnose", "q.json", self.write("none.log", "nothing\n"), cwd=self.folder), 1, "no log that is known")
        self.refused(run("diagnose", "q.json", table, "--map", "bs", cwd=self.folder), 2, "OURS=THEIRS expected")
        self.refused(run("import", "csv", table, "--cluster", "iris", "--map", "modle=net"), 1, "did you mean model?")

    def test_what_is_there_stays(self):
        self.bring_both()
        before = (self.folder / "my-cluster" / "cluster.json").read_text()
        again = run("new", "cluster", "my-cluster", *CLUSTER, cwd=self.folder)
        self.refused(again, 1, "my-cluster/cluster.json", "stays as it is")
        self.assertEqual((self.folder / "my-cluster" / "cluster.json").read_text(), before)

    def test_wrong_use_is_told(self):
        self.refused(run("new", "cluster", "mine", "--gpu", "H100"), 2, "missing: --gpus-per-node, --nodes, --network")
        self.refused(run("new", "scenario", "mine"), 2, "missing: --model, --cluster, --batch")
        self.refused(run("new", "clutser", "mine"), 2, "cluster")
        self.refused(run("import", "hf-confg", CONFIG), 2, "did you mean hf-config?")
        self.refused(run("import", "hf-config", CONFIG), 1, "give --sequence TOKENS")
        self.refused(run("import", "hf-config", CONFIG, "--sequence", "8", "--output", "a b.json", cwd=self.folder), 1, "/name")
        self.refused(run("import", "hf-config", CONFIG, "--sequence", "8", "--set", "batch=3"), 1, "predicted_words=NUMBER")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_at_a_terminal_the_rest_is_asked_for(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        asked = subprocess.Popen([DDLSIM, "new", "cluster", "my-cluster", "--gpu", "V100-SXM2-16GB"], stdin=slave,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, text=True)
        os.close(slave)
        os.write(master, b"4\n2\n100 Gbps ib\n")
        _, said = asked.communicate(timeout=60)
        self.assertEqual(asked.returncode, 0, said)
        self.assertIn("How many nodes are there?", said)
        cluster = json.loads((self.folder / "my-cluster" / "cluster.json").read_text())
        self.assertEqual((cluster["node"]["gpus"], cluster["available"]["nodes"]), (4, 2))

    def test_this_machine_is_read_and_what_it_hides_is_said(self):
        slurm = self.write("nodes.txt", "NodeName=a Gres=gpu:v100:4\n\nNodeName=b Gres=gpu:v100:4\n")
        result = run("new", "cluster", "here", "--from-machine", "--slurm", slurm, "--gpu", "V100-SXM2-16GB", "--gpus-per-node", "4",
                     "--nodes", "2", "--network", "10 Gbps ethernet", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("not seen: ", result.stderr)
        self.done("check", "here/cluster.json")


    def machine(self, **tools):
        """A folder of programs that print these texts, before the usual ones on PATH; and an empty /sys."""
        folder = self.folder / "tools"
        folder.mkdir()
        for name in ("nvidia-smi", "ibstat", "lstopo-no-graphics", "scontrol", "lscpu"):
            program = folder / name
            text = tools.get(name.replace("-", "_"), "")
            if isinstance(text, str):
                text = {"": text}
            cases = "".join(f"  '{words}') cat <<'END'\n{said}\nEND\n  ;;\n" for words, said in text.items() if words)
            program.write_text("#!/bin/sh\ncase \"$*\" in\n" + cases + f"  *) cat <<'END'\n{text.get('', '')}\nEND\n  ;;\nesac\n")
            program.chmod(0o755)
        (self.folder / "sys").mkdir()
        return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}

    def test_a_machine_of_gpus_is_read_by_its_tools_alone(self):
        gpus = "".join(f"GPU {i}: NVIDIA H100 80GB HBM3 (UUID: GPU-{i})\n" for i in range(4))
        header = "".join(f"\tGPU{i}" for i in range(4))
        topology = header + "\tNIC0\n" + "".join(
            f"GPU{i}" + "".join("\t X " if i == j else "\tNV18" for j in range(4)) + "\tPIX\n" for i in range(4))
        ibstat = "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tRate: 400\n\t\tLink layer: InfiniBand\n"
        environment = self.machine(nvidia_smi={"-L": gpus, "topo -m": topology}, ibstat=ibstat,
                                   lscpu="CPU(s): 96\nModel name: Some Processor\nSocket(s): 2\n",
                                   scontrol="NodeName=a Gres=gpu:h100:4\n\nNodeName=b Gres=gpu:h100:4\n")
        result = subprocess.run([DDLSIM, "new", "cluster", "here", "--from-machine", "--sysfs", "sys"], cwd=self.folder,
                                env=environment, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("not seen", result.stderr)
        self.assertIn("all GPUs reach each other by NV18", result.stderr)
        cluster = json.loads((self.folder / "here" / "cluster.json").read_text())
        self.assertEqual((cluster["node"]["gpu"], cluster["node"]["gpus"], cluster["available"]["nodes"]), ("H100-SXM5-80GB", 4, 2))
        self.assertEqual(cluster["node"]["nics"][0], {"name": "ib", "bandwidth": "400 Gbps", "count": 1})
        self.assertEqual(cluster["node"]["intra"]["kind"], "nvswitch")
        self.assertEqual((cluster["node"]["cpu"], cluster["node"]["cores"]), ("2x Some Processor", 96))
        self.done("check", "here/cluster.json")

    def test_a_machine_that_says_nothing_is_asked_about_and_says_so(self):
        environment = self.machine()
        result = subprocess.run([DDLSIM, "new", "cluster", "here", "--from-machine", "--sysfs", "sys"], cwd=self.folder,
                                env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        self.refused(result, 2, "missing: --gpu, --gpus-per-node, --nodes, --network", "not seen: GPUs", "not seen: the processor",
                     "not seen: how many such nodes", "not seen: a network port")

    NODES = ("NodeName=cn1 Arch=x86_64 Gres=(null) CPUTot=256 OS=Linux 5.14 #1 SMP Partitions=batch CfgTRES=cpu=256\n"
             "NodeName=g1 Arch=x86_64 Gres=gpu:h200:8(S:0-1) CPUTot=192 OS=Linux 5.14 #1 SMP Partitions=big\n"
             "NodeName=g2 Arch=x86_64 Gres=gpu:8 CPUTot=192 OS=Linux 5.14 #1 SMP Partitions=big CfgTRES=cpu=192,gres/gpu:h200=8\n")

    def test_slurms_nodes_are_a_cluster_without_this_machine(self):
        (self.folder / "nodes.txt").write_text(self.NODES)
        result = self.done("new", "cluster", "hx", "--slurm", "nodes.txt", "--network", "8xNDR")
        self.assertIn("Slurm: 2 nodes of 8 GPUs", result.stderr)
        self.assertIn('"h200" is taken for H200-SXM-141GB', result.stderr)
        node = json.loads((self.folder / "hx" / "cluster.json").read_text())["node"]
        self.assertEqual((node["gpu"], node["gpus"], node["cores"], node.get("cpu")), ("H200-SXM-141GB", 8, 192, None))
        self.done("check", "hx/cluster.json")
        (self.folder / "nodes.txt").write_text(self.NODES + "NodeName=o1 Gres=gpu:v100:4 CPUTot=40 Partitions=old\n")
        asked = run("new", "cluster", "two", "--slurm", "nodes.txt", "--network", "8xNDR", cwd=self.folder)
        self.refused(asked, 1, "nodes.txt: several kinds of nodes", '1 of 4 x "v100" in old', "--slurm-gpu TYPE")
        self.done("new", "cluster", "old", "--slurm", "nodes.txt", "--slurm-gpu", "V100", "--network", "2xEDR")
        self.assertEqual(json.loads((self.folder / "old" / "cluster.json").read_text())["node"]["gpus"], 4)
        (self.folder / "nodes.txt").write_text("hello\n")
        self.refused(run("new", "cluster", "no", "--slurm", "nodes.txt", cwd=self.folder), 1, "nodes.txt: no node of Slurm found")

    def test_a_topology_says_gpus_links_and_ports(self):
        seed = SOURCE / "tests" / "fuzz" / "seeds" / "topology-nccl.xml"
        result = self.done("new", "cluster", "one", "--topology", seed, "--nodes", "2")
        self.assertIn("it looks like NCCL's topology", result.stderr)
        node = json.loads((self.folder / "one" / "cluster.json").read_text())["node"]
        self.assertEqual((node["gpu"], node["gpus"]), ("H100-SXM5-80GB", 1))
        self.assertEqual([nic["bandwidth"] for nic in node["nics"]], ["400 Gbps", "25 Gbps"])
        (self.folder / "topo.txt").write_text("\tGPU0\tGPU1\tNIC0\nGPU0\t X \tSYS\tPIX\nGPU1\tSYS\t X \tSYS\nNIC0\tPIX\tSYS\t X \n")
        result = self.done("new", "cluster", "two", "--topology", "topo.txt", "--gpu", "H100-NVL", "--nodes", "2", "--network", "1xNDR")
        self.assertIn("1 NICs (NIC0), 1 of them near a GPU", result.stderr)
        self.assertEqual(json.loads((self.folder / "two" / "cluster.json").read_text())["node"]["intra"]["kind"], "pcie-tree")

    def test_a_gpu_of_ones_own_is_asked_about_and_read(self):
        made = self.done("new", "gpu", "my-gpu", "--like", "H100", "--bf16", "800 TFLOPS", "--memory", "94 GB")
        self.assertIn('"H100" is taken for H100-SXM5-80GB', made.stderr)
        self.done("new", "cluster", "mine", "--gpu", "./my-gpu.json", "--gpus-per-node", "8", "--nodes", "2", "--network", "8xNDR")
        self.done("check", "my-gpu.json", "mine/cluster.json")
        self.done("new", "scenario", "q", "--model", "Llama-2-7B", "--cluster", "./mine", "--batch", "1", "--precision", "bfloat16",
                  "--strategy", "ZeRO-3", "--preset", "PyTorch FSDP2", "--gpus", "8")
        scenario = json.loads((self.folder / "q.json").read_text())
        self.assertEqual((scenario["model"], scenario["precision"], scenario["preset"], scenario["strategies"]),
                         ("llama_2_7b_seq4096", "bf16", "pytorch-fsdp2", [{"name": "fsdp"}]))
        faster = json.loads(self.done("predict", "q.json", "--json").stdout)
        self.done("new", "gpu", "slow-gpu", "--like", "H100", "--bf16", "200 TFLOPS", "--memory", "94 GB")
        slower = json.loads(self.done("predict", "q.json", "--json", "--set", "/gpu=./slow-gpu.json").stdout)
        rates = [answer["points"][0]["samples_per_s"] for answer in (faster, slower)]
        self.assertGreater(rates[0], rates[1])
        (self.folder / "plan.json").write_text(json.dumps({
            "format": "ddlsim-plan-request", "version": 1, "name": "plan",
            "workload": {"model": "Llama-2-7B", "tokens": "2B", "batch_per_gpu": 1, "precision": "bfloat16"},
            "limits": {"deadline": "90 days", "budget": "$3M"},
            "candidates": [{"name": "mine", "cluster": "./mine", "preset": "pytorch-fsdp2", "gpus": [8, 16],
                            "strategies": [{"name": "fsdp"}],
                            "price": {"kind": "on-demand", "usd_per_node_hour": 20, "source": "a guess"}}]}))
        planned = self.done("plan", "plan.json")
        self.assertIn('model "Llama-2-7B" is taken for llama_2_7b_seq4096', planned.stderr)
        self.assertIn("within 90 d, 3,000,000 USD", planned.stdout)
        self.done("check", "plan.json")
        seed = SOURCE / "tests" / "fuzz" / "seeds" / "nccl-tests.txt"
        lines = self.done("import", "nccl-tests", seed, "--cluster", "./mine", "--gpu", "./my-gpu.json").stdout.splitlines()
        self.assertEqual(json.loads(lines[0])["gpu"], "my-gpu")
        unknown = self.done("import", "nccl-tests", seed, "--cluster", "new", "--gpu", "MI999X")
        self.assertIn('the catalogue has no GPU "MI999X"', unknown.stderr)
        self.assertEqual(json.loads(unknown.stdout.splitlines()[0])["gpu"], "MI999X")
        self.refused(run("new", "gpu", "H100", "--like", "H100", cwd=self.folder), 1, "means H100-SXM5-80GB of the catalogue")

    def test_at_a_terminal_all_is_asked_for(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        asked = subprocess.Popen([DDLSIM, "new", "cluster", "my-cluster"], stdin=slave, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, cwd=self.folder, text=True)
        os.close(slave)
        os.write(master, b"V100-SXM2-16GB\n4\n2\n100 Gbps ib\n")
        _, said = asked.communicate(timeout=60)
        self.assertEqual(asked.returncode, 0, said)
        for question in ("Which GPU does a node have", "How many of them", "How many nodes", "Which network"):
            self.assertIn(question, said)
        self.done("check", "my-cluster/cluster.json")


if __name__ == "__main__":
    main()
