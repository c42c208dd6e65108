"""A step of every model of the catalogue in bf16 on a fake GPU: where a layer mixes types that autocast leaves apart,
LibTorch's operators refuse them. Minutes of CPU; models may be named.

python3 half_precision_test.py DDLTRAIN FOLDER_OF_THE_FAKE [MODEL...]
"""
import os
import subprocess
import sys

# An operator of BERT's is not there for mixed types on the processor of LibTorch 1.13; an H200 ran it in amp and bf16.
NOT_ON_A_PROCESSOR = "bert_"


def main():
    program, fake, *models = sys.argv[1:]
    if not models:
        listed = subprocess.run([program, "describe", "--list"], capture_output=True, text=True, check=True)
        models = [line.split()[0] for line in listed.stdout.splitlines() if line.strip()]
    failed = 0
    for model in models:
        if model.startswith(NOT_ON_A_PROCESSOR):
            continue
        words = ("--model", model, "--precision", "bf16", "--batch", "1", "--steps", "1", "--strategy", "none",
                 "--device", "cuda", "--ignore-loss")
        done = subprocess.run([program, "train", *words], capture_output=True, text=True,
                              env={**os.environ, "LD_LIBRARY_PATH": fake})
        failed += done.returncode != 0
        print(model, "ok" if done.returncode == 0 else done.stderr.strip(), flush=True)
    return 1 if failed or not models else 0


if __name__ == "__main__":
    sys.exit(main())
