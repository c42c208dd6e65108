"""Transformers of a small layer table, timed by framework pytorch-transformer: cases of frameworks_test.py."""
import json
import os
import pathlib
import re


class Transformers:
    """Beside Frameworks, whose `train`, `refused` and `folder` they use."""

    def decoder_table(self, **changed):
        """A layer table of three blocks, 64 wide, whose keys are half as wide."""
        shapes = {"norm1": [64], "attention.query": [64, 64], "attention.key": [32, 64], "attention.value": [32, 64], "attention.fused": None,
                  "attention.output": [64, 64], "norm2": [64], "gate": [128, 64], "up": [128, 64], "output": [64, 128]}
        named = [("embeddings.word", [96, 64])] + [(f"block{i}.{name}", shape) for i in range(3) for name, shape in shapes.items()] + \
            [("words.decoder", [96, 64])]
        layers = [{"name": name, "tensors": [{"name": f"{name}.weight", "shape": shape}] if shape else []} for name, shape in named]
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

    def test_a_transformer_that_cannot_be_is_one_message(self):
        table = self.decoder_table()
        few = ["--models", table, "--head-width", "16"]
        self.assertIn("there are llama_2_13b_seq4096", self.refused("pytorch-transformer", "--models", "llama_9b"))
        self.assertIn("does not divide the 64 numbers", self.refused("pytorch-transformer", "--models", table))
        self.assertIn("does not divide the 4 heads", self.refused("pytorch-transformer", *few, "--tensor", "3"))
        self.assertIn("--blocks 4: tiny_seq32 has 3", self.refused("pytorch-transformer", *few, "--blocks", "1,4"))
        self.assertIn("the smaller first", self.refused("pytorch-transformer", *few, "--blocks", "2,1"))
        self.assertIn("give whole numbers above 0", self.refused("pytorch-transformer", *few, "--batch", "1,two"))
        self.assertIn("cpu has fp32, bf16", self.refused("pytorch-transformer", *few, "--precision", "fp8"))
        self.assertIn("is no decoder of words", self.refused("pytorch-transformer", "--models", self.decoder_table(sample="image of 32 tokens")))
        for text in ("{", "[]", '{"layers": [{}], "sample": ""}'):
            pathlib.Path(table).write_text(text)
            self.assertIn("is no layer table", self.refused("pytorch-transformer", *few))
