"""Questions that name a config.json of Hugging Face, a batch of all GPUs, or what of a model is trained."""

import json

from program import SOURCE, Case, main, run

CONFIG = SOURCE / "scenarios" / "examples" / "llama-1b-config.json"
CLUSTER = ("--gpu", "H100-SXM5-80GB", "--gpus-per-node", "8", "--nodes", "16", "--network", "8x400 Gbps ib")


class Config(Case):
    def done(self, *arguments):
        result = run(*arguments, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def bring_both(self):
        self.done("import", "hf-config", CONFIG, "--sequence", "2048", "--output", "my-model.json")
        self.done("new", "cluster", "my-cluster", *CLUSTER)

    def test_a_config_of_hugging_face_may_stand_where_a_model_is_named(self):
        self.bring_both()
        self.done("new", "scenario", "q", "--model", "./my-model.json", "--cluster", "./my-cluster", "--batch", "4",
                  "--precision", "bf16", "--gpus", "8,16")
        (self.folder / "llama").mkdir()
        config = self.folder / "llama" / "config.json"
        config.write_text(CONFIG.read_text())
        quick = ("--fidelity", "formula", "--json")
        asked = json.loads((self.folder / "q.json").read_text())
        (self.folder / "of-config.json").write_text(json.dumps({**asked, "model": "llama/config.json"}))
        table = json.loads(self.done("predict", "q.json", *quick).stdout)
        for question in (("of-config.json",), ("q.json", "--model", "llama/config.json")):
            answer = json.loads(self.done("predict", *question, "--sequence", "2048", *quick).stdout)
            self.assertEqual(answer["model"], "llama-seq2048")
            self.assertEqual(answer["points"], table["points"])
            self.assertIn("llama-seq2048: attention is one kernel", " ".join(answer["warnings"]))
        swept = self.done("predict", "of-config.json", "--sequence", "2048", "--sweep", "/batch_per_gpu=1,2", "--csv", "--fidelity", "formula")
        self.assertEqual(len(swept.stdout.splitlines()), 1 + 2 * 2)
        self.refused(run("predict", "of-config.json", cwd=self.folder), 1, "give --sequence TOKENS")
        self.refused(run("predict", "q.json", "--model", "resnet49_v1.5", cwd=self.folder), 1, "resnet50_v1.5")
        config.write_text(json.dumps({**json.loads(CONFIG.read_text()), "num_key_value_heads": 5, "hidden_size": 0}))
        refused = run("predict", "of-config.json", "--sequence", "2048", cwd=self.folder)
        self.refused(refused, 1, "/num_key_value_heads")
        self.assertIn("/hidden_size", refused.stderr)

    def test_every_question_takes_a_config_of_hugging_face(self):
        self.bring_both()
        (self.folder / "llama").mkdir()
        config = self.folder / "llama" / "config.json"
        config.write_text(CONFIG.read_text())
        made = self.done("new", "scenario", "q", "--model", "llama/config.json", "--sequence", "2048", "--cluster", "./my-cluster",
                         "--batch", "4", "--precision", "bf16", "--gpus", "8,16")
        self.assertIn("attention is one kernel", made.stderr)
        question = json.loads((self.folder / "q.json").read_text())
        self.assertEqual((question["model"], question["sequence"]), ("llama/config.json", 2048))
        checked = self.done("check", "llama/config.json", "q.json", "--sequence", "2048")
        self.assertIn("llama/config.json: config of Hugging Face Transformers, as the model llama-seq2048", " ".join(checked.stdout.split()))
        self.assertIn("scenario q: llama-seq2048 on my-cluster", checked.stdout)
        answer = json.loads(self.done("predict", "q.json", "--json", "--fidelity", "formula").stdout)
        self.assertEqual(answer["model"], "llama-seq2048")
        self.done("export", "simgrid", "q.json", "--output", "mine.xml")
        self.assertEqual(run("diagnose", "q.json", "--step", "8=1h", cwd=self.folder).returncode, 3)
        without = ("--cluster", "./my-cluster", "--batch-per-gpu", "4", "--precision", "bf16", "--step", "8=1h")
        named = run("diagnose", "--model", "llama/config.json", "--sequence", "2048", *without, cwd=self.folder)
        self.assertEqual(named.returncode, 3, named.stderr)
        self.refused(run("check", "llama/config.json", cwd=self.folder), 1, "give --sequence TOKENS")
        (self.folder / "r.json").write_text(json.dumps({**question, "model": "my-model.json", "sequence": 4096}))
        for command in ("check", "predict"):
            self.refused(run(command, "r.json", cwd=self.folder), 1,
                         "/sequence: 4096 found, and a sample of my-model is a sequence of 2048 tokens")

    def test_a_batch_of_all_gpus_and_what_is_trained(self):
        self.bring_both()
        self.done("new", "scenario", "q", "--model", "./my-model.json", "--cluster", "./my-cluster", "--batch", "4",
                  "--precision", "bf16", "--gpus", "8,16,48", "--strategy", "fsdp")
        quick = ("--fidelity", "formula", "--json", "--global-batch", "64", "--micro-batch", "2")
        answer = json.loads(self.done("predict", "q.json", *quick).stdout)
        self.assertNotIn("batch_per_gpu", answer)
        self.assertEqual((answer["global_batch"], answer["micro_batch"]), (64, 2))
        first, second, third = answer["points"]
        self.assertEqual((first["batch_per_gpu"], first["strategy"]["micro_batches"]), (8, 4))
        self.assertEqual((second["batch_per_gpu"], second["strategy"]["micro_batches"]), (4, 2))
        self.assertIn("the nearest that fit: 96, which is the least", third["error"])
        whole = json.loads(self.done("predict", "q.json", "--gpus", "8", *quick).stdout)["points"][0]
        self.assertEqual(whole["iteration_s"], first["iteration_s"])
        trained = json.loads(self.done("predict", "q.json", "--gpus", "8", *quick, "--set", '/train={"lora_rank":16}').stdout)["points"][0]
        self.assertLess(trained["iteration_s"], whole["iteration_s"])
        self.assertLess(trained["memory"]["optimizer_bytes"], whole["memory"]["optimizer_bytes"] / 10)
        self.refused(run("predict", "q.json", "--set", '/train={"freeze":["blok"]}', cwd=self.folder), 1,
                     "/train/freeze: no part of my-model is meant by blok")

    def test_a_plan_takes_a_config_of_hugging_face(self):
        self.bring_both()
        (self.folder / "config.json").write_text(CONFIG.read_text())
        work = {"model": "my-model.json", "tokens": 1e9, "batch_per_gpu": 1, "precision": "bf16"}
        request = {"format": "ddlsim-plan-request", "version": 1, "name": "p", "workload": work,
                   "candidates": [{"name": "mine", "cluster": "./my-cluster", "gpus": [8], "preset": "pytorch-ddp", "strategies": [{"name": "auto"}],
                                   "price": {"kind": "on-demand", "usd_per_node_hour": 50, "source": "s"}}]}
        (self.folder / "p.json").write_text(json.dumps(request))
        table = json.loads(self.done("plan", "p.json", "--json").stdout)
        config = json.loads(self.done("plan", "p.json", "--json", "--model", "config.json", "--sequence", "2048").stdout)
        self.assertEqual(config["options"], table["options"])

if __name__ == "__main__":
    main()
