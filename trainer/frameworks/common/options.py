"""The options of every script: those of `ddltrain train`, with the same defaults."""
import argparse
import os

from common.failure import Failure
from common.models import NETWORKS
from common.records import add_record_options, replays
from common.replay import Replay, read_profile


def _parser(name, strategies):
    parser = argparse.ArgumentParser(prog=name, allow_abbrev=False)
    parser.add_argument("--model", default="lenet5", choices=NETWORKS)
    parser.add_argument("--data", default="synthetic", help="synthetic, digits (drawn), or a folder with MNIST's IDX files")
    parser.add_argument("--batch", type=int, help="samples a worker and step (32)")
    parser.add_argument("--global-batch", type=int, help="samples of all workers and a step, in place of --batch")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=0, help="stop after so many steps; 0 does not")
    parser.add_argument("--train-samples", type=int, default=8000)
    parser.add_argument("--test-samples", type=int, default=2000)
    parser.add_argument("--lr", type=float, help="usually the model's own, with asynchronous servers over the workers")
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--weight-decay", type=float, help="usually the model's own")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--strategy", default=strategies[0], choices=strategies)
    parser.add_argument("--threads", type=int, default=1, help="that a worker computes with")
    parser.add_argument("--transport", default="", help="named in the records; without it what the framework leaves no choice about")
    parser.add_argument("--device", default="cpu", choices=["cpu"], help="the scripts compute on processors only so far")
    add_record_options(parser)
    return parser


def _add_servers(parser):
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--placement", default="dedicated", choices=["dedicated", "colocated"])


def _add_replay(parser):
    parser.add_argument("--replay", default="", help="wait by this profile of ddltrain profile or layers instead of computing (emulated)")
    parser.add_argument("--time-scale", type=float, default=1, help="of the replay's waits; reported times are divided by it")


def _check_replay(options):
    if not options.time_scale > 0:
        raise Failure(f"--time-scale {options.time_scale:g}; a number above 0 is needed", 2)
    if options.replay and options.data != "synthetic":
        raise Failure("--replay waits instead of computing, so it learns nothing: use it with --data synthetic", 2)
    if not options.replay and options.time_scale != 1:
        raise Failure("--time-scale is the replay's: give it with --replay", 2)


def _check(options):
    if options.batch is not None and options.global_batch is not None:
        raise Failure("--batch and --global-batch exclude each other", 2)
    for name in ("batch", "global_batch", "epochs", "train_samples", "test_samples", "threads", "servers", "replicas"):
        value = getattr(options, name, None)
        if value is not None and value < 1:
            raise Failure(f"--{name.replace('_', '-')} {value}; at least 1 is needed", 2)
    if options.steps < 0 or options.seed < 0:
        raise Failure("--steps and --seed must not be below 0", 2)
    if options.lr is not None and not options.lr > 0:
        raise Failure("--lr must be above 0", 2)
    if not 0 <= options.momentum < 1:
        raise Failure("--momentum must be in 0 .. 1", 2)


def read_options(name, strategies, words, servers=False, replicas=False, replay=False):
    """strategies: those of the script, the usual one first; servers: it has parameter servers; replicas: several workers
    live in one process; replay: it can wait instead of computing."""
    parser = _parser(name, strategies)
    if servers:
        _add_servers(parser)
    if replicas:
        parser.add_argument("--replicas", type=int, default=1, help="workers in the one process")
    if replay:
        _add_replay(parser)
    options = parser.parse_args(words)
    _check(options)
    if replay:
        _check_replay(options)
    # before a framework is imported, which reads them once
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)
    return options


def settle(options, workers, asynchronous):
    """What follows from the number of workers. options.waits: the replay, none where the script computes."""
    network = NETWORKS[options.model]
    if options.global_batch is not None:
        if options.global_batch % workers != 0:
            raise Failure(f"--global-batch {options.global_batch} is not a multiple of the {workers} workers", 2)
        options.batch = options.global_batch // workers
    elif options.batch is None:
        options.batch = 32
    if options.lr is None:
        options.lr = network.learning_rate / (workers if asynchronous else 1)
    if options.weight_decay is None:
        options.weight_decay = network.weight_decay
    options.waits = None
    if replays(options):
        options.waits = Replay(read_profile(options.replay, network, options.model, options.batch), options.time_scale)
    return network
