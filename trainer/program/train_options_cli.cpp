#include "trainer/program/train_options_cli.hpp"

#include <CLI/CLI.hpp>

namespace ddltrain {
namespace {

void add_what(CLI::App& train, TrainArguments& arguments) {
  TrainOptions& options = arguments.options;
  train.add_option("--model", options.model, "Model variant; `describe --list` shows all")->capture_default_str();
  train.add_option("--data", options.data, "synthetic, digits (drawn here), or a folder with MNIST's IDX files")
      ->capture_default_str();
  train.add_option("--batch", options.batch_per_worker, "Samples a rank and step")->capture_default_str();
  train.add_option("--epochs", options.epochs, "Passes over the data")->capture_default_str();
  train.add_option("--steps", options.most_steps, "Stop after so many steps; 0 does not");
  train.add_option("--train-samples", options.train_samples, "Digits to learn from")->capture_default_str();
  train.add_option("--test-samples", options.test_samples, "Digits to be judged on")->capture_default_str();
  train.add_option("--lr", options.sgd.learning_rate, "Learning rate")->capture_default_str();
  train.add_option("--momentum", options.sgd.momentum, "Momentum")->capture_default_str();
  train.add_option("--seed", options.seed, "Of parameters, data and order")->capture_default_str();
  train.add_option("--replay", options.replay, "Wait by this profile instead of computing (emulated)");
  train.add_option("--time-scale", options.time_scale, "Of the replay's waits")->capture_default_str();
  train.add_option("--device", options.device, "cpu or cuda: a GPU a rank, in turn on each host")
      ->capture_default_str();
  train.add_option("--precision", options.precision, "fp32; on a GPU amp (fp16 with loss scaling) or bf16")
      ->capture_default_str();
}

void add_how(CLI::App& train, TrainArguments& arguments) {
  TrainStrategy& strategy = arguments.options.strategy;
  train.add_option("--ranks", arguments.ranks, "Workers; without a launcher they are started on this machine");
  train.add_option("--strategy", arguments.strategy, "none, ring (usually), all-reduce (the library's), ps, ps-async");
  train
      .add_option("--backend", arguments.options.backend,
                  "What all-reduces gradients: mpi, through host memory, or nccl, between GPUs")
      ->capture_default_str();
  train.add_flag("--async", arguments.asynchronous, "ps as ps-async");
  train.add_option("--servers", strategy.servers, "Parameter servers")->capture_default_str();
  train
      .add_option("--placement", arguments.placement,
                  "Servers on ranks of their own (dedicated) or on the workers' "
                  "(colocated)")
      ->capture_default_str();
  train.add_option("--sharding", strategy.sharding, "round-robin, bytes, split, hash")->capture_default_str();
  train.add_option("--grouping", arguments.grouping,
                   "buckets, per-tensor, fusion, single; usually buckets, per-tensor with servers");
  train.add_option("--overlap", arguments.overlap, "Communication beside backward: on, off, auto (as frameworks do)")
      ->capture_default_str();
}

} // namespace

void add_train(CLI::App& program, TrainArguments& arguments, int& status) {
  CLI::App* const train = program.add_subcommand("train", "Train a model on several ranks, and time its steps");
  add_what(*train, arguments);
  add_how(*train, arguments);
  train->add_option("--output", arguments.output_file, "Measurement file to write");
  train->add_option("--cluster", arguments.cluster, "Cluster named in the records")->capture_default_str();
  train->add_option("--gpu", arguments.gpu, "Name of the GPU in platforms/gpus.json, when one computes");
  train->add_option("--transport", arguments.transport, "Transport named in the records; usually shm or mpi-tcp");
  train->callback([&arguments, &status] { status = train_command(arguments); });
}

} // namespace ddltrain
