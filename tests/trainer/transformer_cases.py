"""Transformers of a small layer table, timed by framework pytorch-transformer: cases of frameworks_test.py."""
import json
import os
import pathlib
import re
import subprocess

from framework_runs import ROOT


class Transformers:
    """Beside Frameworks, whose `train`, `refused` and `folder` they use."""

    def decoder_table(self, once=True, **changed):
        """A layer table of three blocks, 64 wide, whose keys are half as wide; the blocks stand in it once, or each."""
        shapes = {"norm1": [64], "attention.query": [64, 64], "attention.key": [32, 64], "attention.value": [32, 64], "attention.fused": None,
                  "attention.output": [64, 64], "norm2": [64], "gate": [128, 64], "up": [128, 64], "output": [64, 128]}

        def layer(name, shape):
            return {"name": name, "tensors": [{"name": f"{name}.weight", "shape": shape}] if shape else []}

        def block(number):
            return [layer(f"block{number}.{name}", shape) for name, shape in shapes.items()]

        blocks = [{"repeat": 3, "layers": block("{i}")}] if once else block(0) + block(1) + block(2)
        layers = [layer("embeddings.word", [96, 64]), *blocks, layer("words.decoder", [96, 64])]
        file = os.path.join(self.folder, "tiny_seq32.json")
        pathlib.Path(file).write_text(json.dumps({"name": "tiny_seq32", "sample": "sequence of 32 tokens", "layers": layers, **changed}))
        return file

    def test_a_transformer_is_timed(self):
        few = ["--models", self.decoder_table(), "--head-width", "16", "--seconds", "0.01"]
        whole = self.train("pytorch-transformer", *few, "--batch", "1,2", "--precision", "fp32")[1:]
        self.assertEqual([(record["model"], record["batch_per_gpu"], record["precision"]) for record in whole],
                         [("tiny_seq32", 1, "fp32"), ("tiny_seq32", 2, "fp32")])
        for record in whole:
            self.assertEqual((record["record"], record["optimizer"], record["synchronised"], record["strategy"]),
                             ("step", False, False, {"name": "none"}))
            self.assertGreaterEqual(record["repeats"], 3)
        counted = self.train("pytorch-transformer", *few, "--blocks", "1,2")[1]
        one, two = (float(text) for text in re.search(r"1 and 2 of 3 blocks took ([0-9.e-]+) and ([0-9.e-]+) ms", counted["note"]).groups())
        self.assertAlmostEqual(1e3 * counted["value"], one + 2 * (two - one), delta=1e-3 * (one + two))  # the note has five digits
        self.assertEqual(len(self.train("pytorch-transformer", *few, "--tensor", "2")), 1)  # a part of it is no record

    def test_what_a_step_computes_again_and_shards(self):
        few = ["pytorch-transformer", "--models", self.decoder_table(), "--head-width", "16", "--seconds", "0.01", "--precision", "fp32"]
        if self.version() < (2, 6):
            self.assertIn("take 2.4 or later", self.refused(*few, "--recompute", "alternate-matmuls"))
            self.assertIn("take 2.6 or later", self.refused(*few, "--shards", "4"))
            return
        for how in ("full", "alternate-matmuls"):
            record = self.train(*few, "--recompute", how)[1]
            self.assertEqual(record["strategy"], {"name": "fsdp", "recompute": how})
        self.assertEqual(len(self.train(*few, "--shards", "4")), 1)  # nobody is there to send to, and there is no record

    def version(self):
        """Of this environment's PyTorch, its first two numbers."""
        python = ROOT / "build" / "frameworks" / "pytorch" / "bin" / "python3"
        done = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, check=True)
        return tuple(int(word) for word in done.stdout.split(".")[:2])

    def test_a_transformer_that_cannot_be_is_one_message(self):
        table = self.decoder_table()
        few = ["--models", table, "--head-width", "16"]
        self.assertIn("there are llama_2_13b_seq4096", self.refused("pytorch-transformer", "--models", "llama_9b"))
        self.assertIn("does not divide the 64 numbers", self.refused("pytorch-transformer", "--models", table))
        self.assertIn("does not divide the 4 heads", self.refused("pytorch-transformer", *few, "--tensor", "3"))
        for once in (True, False):
            self.decoder_table(once)
            self.assertIn("--blocks 4: tiny_seq32 has 3", self.refused("pytorch-transformer", *few, "--blocks", "1,4"))
        self.assertIn("the smaller first", self.refused("pytorch-transformer", *few, "--blocks", "2,1"))
        self.assertIn("give whole numbers above 0", self.refused("pytorch-transformer", *few, "--batch", "1,two"))
        self.assertIn("--shards", self.refused("pytorch-transformer", *few, "--shards", "0"))
        self.assertIn("alternate-matmuls", self.refused("pytorch-transformer", *few, "--recompute", "selective"))
        self.assertIn("cpu has fp32, bf16", self.refused("pytorch-transformer", *few, "--precision", "fp8"))
        self.assertIn("is no decoder of words", self.refused("pytorch-transformer", "--models", self.decoder_table(sample="image of 32 tokens")))
        for text in ("{", "[]", '{"layers": [{}], "sample": ""}'):
            pathlib.Path(table).write_text(text)
            self.assertIn("is no layer table", self.refused("pytorch-transformer", *few))
