#include "trainer/cli/train_command.hpp"

#include "sim/base/error.hpp"
#include "trainer/cli/checks.hpp"
#include "trainer/cli/train_records.hpp"
#include "trainer/communication/local_job.hpp"
#include "trainer/communication/mpi_session.hpp"
#include "trainer/cuda/device.hpp"
#include "trainer/cuda/nccl.hpp"
#include "trainer/records/surroundings.hpp"
#include "trainer/train/job.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace ddltrain {
namespace {

/// Returns the number of threads of one rank that work at the same time: the computing threads, the communication
/// thread, and the thread that the rank lends to a parameter server.
int busy_threads(const TrainStrategy& strategy, int threads) {
  const bool serves = strategy.exchange == Exchange::servers && !strategy.dedicated;
  return threads + (strategy.overlapped && strategy.exchange != Exchange::none ? 1 : 0) + (serves ? 1 : 0);
}

std::string command_line(const std::vector<std::string>& words) {
  std::string text = "ddltrain";
  for (const std::string& word : words) text += " " + word;
  return text;
}

/// Runs one rank of the job.
void run_rank(TrainArguments arguments, const MpiSession& mpi, const NcclLog& nccl_log) {
  MpiCommunicator world(MPI_COMM_WORLD);
  world.set_wait_policy(agree_wait_policy(world, busy_threads(arguments.options.strategy, arguments.threads)));
  const std::string command = command_line(arguments.words);
  const std::vector<std::string> hosts = introduce(world, {mpi.host(), program_identity(), command});
  const auto fail = [&](const std::exception_ptr& failure) { end_job(mpi, world.rank(), failure); };
  Job job = make_job(world, arguments.options.strategy, mpi.host(), fail);
  const Steps steps = agrees(arguments.options.strategy) ? Steps::together : Steps::alone;
  Watchdog watchdog(world, hosts, arguments.stall, steps, fail);
  job.watchdog = &watchdog;
  if (arguments.ranks > 0 && arguments.ranks != job.workers) {
    throw ddlsim::UserError("", "",
                            fmt::format("--ranks {} and the launcher's {} ranks, {} of them workers, do not agree",
                                        arguments.ranks, world.size(), job.workers));
  }
  if (arguments.options.strategy.asynchronous && !arguments.learning_rate) {
    arguments.options.sgd.learning_rate /= job.workers; // because each worker's push is applied in full
  }
  const std::vector<std::string> of_workers(hosts.begin(), hosts.begin() + job.workers);
  const Device device =
      job.is_worker() ? open_device(arguments.options.device, arguments.threads, job.place) : open_device("cpu", 1);
  if (device.cuda) check_gpu(arguments.gpu, arguments.options.device, driver_name_of_gpu(device.gpu));
  if (job.is_worker()) check_precision(device, arguments.options.precision);
  const std::string library = join_parts({arguments.options.backend == "nccl" ? Nccl().version() : "", mpi.library()});
  const std::string math = choose_math(device, arguments.options.precision, arguments.options.cudnn_benchmark);
  const NodeMap workers = map_nodes(of_workers);
  const TrainSoftware software = {device.software, math, library, world.wait_policy(),
                                  gather_facts(world, workers, arguments.anonymous)};
  TrainRecords records(arguments, workers, software, command, world.rank() == 0);
  const CpuUse before = cpu_use();
  const TrainResult result =
      train(job, arguments.options, device, [&](const EpochReport& epoch) { records.add(epoch); });
  records.set_transport(nccl_transport(world.gather(nccl_connections(nccl_log.text()))));
  records.finish(result, before, world);
}

} // namespace

int train_command(TrainArguments arguments) {
  settle(arguments);
  const TrainStrategy& strategy = arguments.options.strategy;
  const bool extra = strategy.exchange == Exchange::servers && strategy.dedicated;
  const int processes = std::max(arguments.ranks, 1) + (extra ? strategy.servers : 0);
  if (!started_by_launcher()) { // a missing part is reported before ranks are started
    check_device(arguments.options.device);
    if (arguments.options.backend == "nccl") Nccl();
  }
  if (!started_by_launcher() && processes > 1)
    return run_local_job(processes, arguments.words, arguments.cores_per_rank);
  const NcclLog nccl_log(arguments.options.backend == "nccl");
  run_as_rank([&](const MpiSession& mpi) { run_rank(arguments, mpi, nccl_log); });
  return 0;
}

namespace {

void add_what(CLI::App& train, TrainArguments& arguments) {
  TrainOptions& options = arguments.options;
  train.add_option("--model", options.model, "Model variant; `describe --list` shows all")->capture_default_str();
  train.add_option("--data", options.data, "synthetic, digits (drawn here), or a folder with MNIST's IDX files")
      ->capture_default_str();
  train.add_option("--batch", options.batch_per_worker, "Samples a rank and step")
      ->check(whole_above_zero())
      ->capture_default_str();
  train.add_option("--epochs", options.epochs, "Passes over the data")
      ->check(whole_above_zero())
      ->capture_default_str();
  train.add_option("--steps", options.most_steps, "Stop after so many steps; 0 does not")->check(whole_zero_or_more());
  train.add_option("--train-samples", options.train_samples, "Digits to learn from")
      ->check(whole_above_zero())
      ->capture_default_str();
  train.add_option("--test-samples", options.test_samples, "Digits to be judged on")
      ->check(whole_zero_or_more())
      ->capture_default_str();
  train
      .add_option("--lr", arguments.learning_rate,
                  "Learning rate; usually the model's own (`describe --list`), with ps-async over the workers")
      ->check(above_zero());
  train.add_option("--lr-schedule", arguments.schedule, "EPOCHS:FACTOR; 30:0.1 takes a tenth every 30 epochs");
  train
      .add_option("--lr-warm-up", options.schedule.warm_up,
                  "Epochs in which the learning rate rises from its share of one worker")
      ->check(zero_or_more());
  train.add_option("--weight-decay", arguments.weight_decay, "Weight decay (L2); usually the model's own")
      ->check(zero_or_more());
  train.add_option("--momentum", options.sgd.momentum, "Momentum")
      ->check(a_number({.most = 1, .below_most = true}))
      ->capture_default_str();
  train.add_option("--seed", options.seed, "Of parameters, data and order")
      ->check(a_number({.most = 0x1p64, .whole = true}))
      ->capture_default_str();
  train.add_option("--replay", options.replay, "Wait by this profile instead of computing (emulated)");
  train.add_option("--time-scale", options.time_scale, "Of the replay's waits")
      ->check(above_zero())
      ->capture_default_str();
  train
      .add_option("--queued-steps", options.queued_steps,
                  "Steps given to a GPU before it is waited for; usually 10, so that the host does not set the pace")
      ->check(whole_zero_or_more());
  add_cudnn_benchmark(train, options.cudnn_benchmark);
  train.add_flag("--ignore-loss{false}", options.nan_is_fatal, "Go on when the loss is no number: to time steps only");
  train.add_option("--device", options.device, "cpu or cuda: a GPU a rank, in turn on each host")
      ->capture_default_str();
  train
      .add_option("--precision", arguments.precision,
                  "fp32; on a GPU tf32 (fp32 on tensor cores), amp (fp16 with loss scaling) or bf16")
      ->capture_default_str();
}

void add_how(CLI::App& train, TrainArguments& arguments) {
  TrainStrategy& strategy = arguments.options.strategy;
  train.add_option("--ranks", arguments.ranks, "Workers; without a launcher they are started on this machine")
      ->check(whole_above_zero());
  train
      .add_option("--cores-per-rank", arguments.cores_per_rank,
                  "Cores each rank started here is bound to; an equal share without it")
      ->check(whole_above_zero());
  train.add_option("--strategy", arguments.strategy, "none, ring (usually), all-reduce (the library's), ps, ps-async");
  train
      .add_option("--backend", arguments.options.backend,
                  "What all-reduces gradients: mpi, through host memory, or nccl, between GPUs")
      ->capture_default_str();
  train.add_flag("--async", arguments.asynchronous, "ps as ps-async");
  train.add_option("--servers", strategy.servers, "Parameter servers")
      ->check(whole_above_zero())
      ->capture_default_str();
  train
      .add_option("--placement", arguments.placement,
                  "Servers on ranks of their own (dedicated) or on the workers' "
                  "(colocated)")
      ->capture_default_str();
  train.add_option("--sharding", strategy.sharding, "round-robin, bytes, split, hash")->capture_default_str();
  train.add_option("--grouping", arguments.grouping,
                   "buckets, per-tensor, fusion, single; usually buckets, per-tensor with servers");
  train
      .add_option("--broadcast-buffers", arguments.buffers,
                  "Rank 0's running statistics to all before each forward pass: on, off, auto (as frameworks do)")
      ->capture_default_str();
  train.add_option("--threads", arguments.threads, "Threads a worker computes with on a processor")
      ->check(whole_above_zero())
      ->capture_default_str();
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
  train->add_option("--transport", arguments.transport,
                    "Transport named in the records; without it what the MPI's settings say, else unknown");
  train->add_flag("--anonymous", arguments.anonymous, "Leave the host's name out of the records");
  train
      ->add_option("--stall-limit", arguments.stall.least_s,
                   "Seconds without a sign of a rank, or without a step (and 10 times the median), that end the job")
      ->check(above_zero())
      ->capture_default_str();
  train->callback([&arguments, &status] { status = train_command(arguments); });
}

} // namespace ddltrain
