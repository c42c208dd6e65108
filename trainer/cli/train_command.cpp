#include "trainer/cli/train_command.hpp"

#include "sim/base/error.hpp"
#include "trainer/cli/rank_failure.hpp"
#include "trainer/cli/train_records.hpp"
#include "trainer/communication/local_job.hpp"
#include "trainer/communication/mpi_session.hpp"
#include "trainer/cuda/device.hpp"
#include "trainer/cuda/nccl.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/records/machine.hpp"
#include "trainer/records/surroundings.hpp"
#include "trainer/synchronisation/sharding.hpp"
#include "trainer/train/job.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>

namespace ddltrain {
namespace {

template <class Value>
Value named(const std::map<std::string, Value>& values, const std::string& name, const std::string& option) {
  const auto found = values.find(name);
  if (found != values.end()) return found->second;
  std::string names;
  for (const auto& [known, value] : values) names += (names.empty() ? "" : ", ") + known;
  throw ddlsim::UserError("", "", fmt::format("unknown {} \"{}\"; there are {}", option, name, names));
}

const std::map<std::string, Exchange> kExchanges = {{"none", Exchange::none},
                                                    {"ring", Exchange::ring},
                                                    {"all-reduce", Exchange::all_reduce},
                                                    {"ps", Exchange::servers},
                                                    {"ps-async", Exchange::servers}};
const std::map<std::string, Grouping> kGroupings = {{"buckets", Grouping::buckets},
                                                    {"per-tensor", Grouping::per_tensor},
                                                    {"fusion", Grouping::fusion},
                                                    {"single", Grouping::single}};

const std::map<std::string, ddlsim::Precision> kPrecisions = {{"fp32", ddlsim::Precision::fp32},
                                                              {"tf32", ddlsim::Precision::tf32},
                                                              {"amp", ddlsim::Precision::amp},
                                                              {"bf16", ddlsim::Precision::bf16}};

/// Frameworks' habits: all-reduces go in buckets or fused, overlapped; a tensor at a time or all at once after
/// backward; servers are sent each tensor when it is ready.
void choose_grouping(TrainArguments& arguments) {
  TrainStrategy& strategy = arguments.options.strategy;
  const bool serves = strategy.exchange == Exchange::servers;
  if (arguments.grouping.empty()) arguments.grouping = serves ? "per-tensor" : "buckets";
  strategy.grouping = named(kGroupings, arguments.grouping, "--grouping");
  const bool usual = strategy.grouping == Grouping::buckets || strategy.grouping == Grouping::fusion ||
                     (serves && strategy.grouping == Grouping::per_tensor);
  const std::map<std::string, bool> overlaps = {{"auto", usual}, {"on", true}, {"off", false}};
  strategy.overlapped = named(overlaps, arguments.overlap, "--overlap");
  if (strategy.grouping == Grouping::fusion && serves) {
    throw ddlsim::UserError(
        "", "", "--grouping fusion is for all-reduces; parameter servers take buckets, per-tensor or single");
  }
  if (strategy.grouping == Grouping::fusion && !strategy.overlapped) {
    throw ddlsim::UserError("", "", "--grouping fusion always overlaps; --overlap off is for the other groupings");
  }
}

void check_figures(const TrainArguments& arguments) {
  const TrainOptions& options = arguments.options;
  if (options.batch_per_worker == 0) throw ddlsim::UserError("", "", "--batch 0; at least 1 sample a rank is needed");
  if (options.epochs == 0) throw ddlsim::UserError("", "", "--epochs 0; at least 1 is needed");
  if (!(options.sgd.learning_rate > 0)) throw ddlsim::UserError("", "", "--lr must be above 0");
  if (!(options.sgd.momentum >= 0 && options.sgd.momentum < 1))
    throw ddlsim::UserError("", "", "--momentum must be in 0 .. 1");
  if (!options.nan_is_fatal && options.data != "synthetic") {
    throw ddlsim::UserError("", "", "--ignore-loss is for --data synthetic, where nothing is learnt");
  }
  if (!options.replay.empty() && options.data != "synthetic") {
    throw ddlsim::UserError("", "",
                            "--replay waits instead of computing, so it learns nothing: use it with --data synthetic");
  }
}

/// What a device, a backend and a precision ask of each other, whether or not this machine has them.
void check_device_options(TrainArguments& arguments) {
  TrainOptions& options = arguments.options;
  const TrainStrategy& strategy = options.strategy;
  named<int>({{"cpu", 0}, {"cuda", 0}}, options.device, "--device");
  named<int>({{"mpi", 0}, {"nccl", 0}}, options.backend, "--backend");
  options.precision = named(kPrecisions, arguments.precision, "--precision");
  const bool gpu = options.device == "cuda";
  queued_steps_on(options.device, options.queued_steps);
  if (options.precision != ddlsim::Precision::fp32 && !gpu)
    throw ddlsim::UserError("", "", "--precision " + arguments.precision + " needs --device cuda");
  if (gpu && !options.replay.empty())
    throw ddlsim::UserError("", "", "--replay waits for a GPU one does not have: use --device cpu");
  if (options.precision == ddlsim::Precision::amp && strategy.exchange == Exchange::servers) {
    throw ddlsim::UserError(
        "", "", "--precision amp leaves out steps that overflow, which servers do not: use bf16 or fp32 with them");
  }
  if (options.backend == "mpi") return;
  if (!gpu) throw ddlsim::UserError("", "", "--backend nccl moves gradients between GPUs: it needs --device cuda");
  if (strategy.exchange != Exchange::all_reduce) {
    throw ddlsim::UserError("", "", "--backend nccl chooses its own algorithm: it needs --strategy all-reduce");
  }
  if (strategy.grouping == Grouping::fusion) {
    throw ddlsim::UserError(
        "", "", "--grouping fusion works in host memory: --backend nccl takes buckets, per-tensor or single");
  }
}

void settle(TrainArguments& arguments) {
  TrainStrategy& strategy = arguments.options.strategy;
  if (arguments.strategy.empty()) arguments.strategy = arguments.options.backend == "nccl" ? "all-reduce" : "ring";
  strategy.exchange = named(kExchanges, arguments.strategy, "--strategy");
  const bool serves = strategy.exchange == Exchange::servers;
  if (arguments.asynchronous && !serves) throw ddlsim::UserError("", "", "--async is for --strategy ps");
  strategy.asynchronous = arguments.asynchronous || arguments.strategy == "ps-async";
  if (strategy.asynchronous) arguments.strategy = "ps-async";
  const std::map<std::string, bool> placements = {{"dedicated", true}, {"colocated", false}};
  strategy.dedicated = named(placements, arguments.placement, "--placement");
  if (serves) place_shards({1}, strategy.servers, strategy.sharding); // refuses what is unknown
  choose_grouping(arguments);
  const CatalogueEntry& model = find_model(arguments.options.model);
  arguments.options.sgd.learning_rate = arguments.learning_rate.value_or(model.learning_rate.value);
  check_figures(arguments);
  check_device_options(arguments);
  if (arguments.options.replay.empty()) check_gpu(arguments.gpu, arguments.options.device, "");
}

/// Threads of one rank that work at the same time: the compute, what communicates beside it, the server it lends a
/// thread to.
int busy_threads(const TrainStrategy& strategy) {
  const bool serves = strategy.exchange == Exchange::servers && !strategy.dedicated;
  return 1 + (strategy.overlapped && strategy.exchange != Exchange::none ? 1 : 0) + (serves ? 1 : 0);
}

std::string command_line(const std::vector<std::string>& words) {
  std::string text = "ddltrain";
  for (const std::string& word : words) text += " " + word;
  return text;
}

/// One rank of the job.
void run_rank(const TrainArguments& arguments, const MpiSession& mpi) {
  MpiCommunicator world(MPI_COMM_WORLD);
  world.set_wait_policy(agree_wait_policy(world, busy_threads(arguments.options.strategy)));
  const std::string command = command_line(arguments.words);
  const std::vector<std::string> hosts = introduce(world, {mpi.host(), program_identity(), command});
  const auto fail = [&](std::exception_ptr failure) { end_job(mpi, world.rank(), failure); };
  Job job = make_job(world, arguments.options.strategy, mpi.host(), fail);
  Watchdog watchdog(world, hosts, arguments.stall, fail);
  job.watchdog = &watchdog;
  if (arguments.ranks > 0 && arguments.ranks != job.workers) {
    throw ddlsim::UserError("", "",
                            fmt::format("--ranks {} and the launcher's {} ranks, {} of them workers, do not agree",
                                        arguments.ranks, world.size(), job.workers));
  }
  const std::vector<std::string> of_workers(hosts.begin(), hosts.begin() + job.workers);
  const Device device = open_device(job.is_worker() ? arguments.options.device : "cpu", 1, job.place);
  if (device.cuda) check_gpu(arguments.gpu, arguments.options.device, driver_name_of_gpu(device.gpu));
  if (job.is_worker()) check_precision(device, arguments.options.precision);
  const std::string library = join_parts({arguments.options.backend == "nccl" ? Nccl().version() : "", mpi.library()});
  const std::string math = choose_math(device, arguments.options.precision);
  const NodeMap workers = map_nodes(of_workers);
  const TrainSoftware software = {device.software, math, library, world.wait_policy(),
                                  gather_facts(world, workers, arguments.anonymous)};
  TrainRecords records(arguments, workers, software, command, world.rank() == 0);
  const CpuUse before = cpu_use();
  const TrainResult result =
      train(job, arguments.options, device, [&](const EpochReport& epoch) { records.add(epoch); });
  records.finish(result, before, world);
}

} // namespace

int train_command(TrainArguments arguments) {
  settle(arguments);
  const TrainStrategy& strategy = arguments.options.strategy;
  const bool extra = strategy.exchange == Exchange::servers && strategy.dedicated;
  const int processes = std::max(arguments.ranks, 1) + (extra ? strategy.servers : 0);
  if (arguments.ranks < 0) throw ddlsim::UserError("", "", "--ranks must be 1 or more");
  if (!started_by_launcher()) { // say what is missing before ranks are started
    check_device(arguments.options.device);
    if (arguments.options.backend == "nccl") Nccl();
  }
  if (!started_by_launcher() && processes > 1)
    return run_local_job(processes, arguments.words, arguments.cores_per_rank);
  run_as_rank([&](const MpiSession& mpi) { run_rank(arguments, mpi); });
  return 0;
}

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
  train.add_option("--lr", arguments.learning_rate, "Learning rate; usually the model's own (`describe --list`)");
  train.add_option("--momentum", options.sgd.momentum, "Momentum")->capture_default_str();
  train.add_option("--seed", options.seed, "Of parameters, data and order")->capture_default_str();
  train.add_option("--replay", options.replay, "Wait by this profile instead of computing (emulated)");
  train.add_option("--time-scale", options.time_scale, "Of the replay's waits")->capture_default_str();
  train.add_option("--queued-steps", options.queued_steps,
                   "Steps given to a GPU before it is waited for; usually 10, so that the host does not set the pace");
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
  train.add_option("--ranks", arguments.ranks, "Workers; without a launcher they are started on this machine");
  train.add_option("--cores-per-rank", arguments.cores_per_rank,
                   "Cores each rank started here is bound to; an equal share without it");
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
  train->add_option("--transport", arguments.transport,
                    "Transport named in the records; without it what the MPI's settings say, else unknown");
  train->add_flag("--anonymous", arguments.anonymous, "Leave the host's name out of the records");
  train
      ->add_option("--stall-limit", arguments.stall.least_s,
                   "Seconds without a step (and 10 times the median) after which the job ends, naming the rank")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  train->callback([&arguments, &status] { status = train_command(arguments); });
}

} // namespace ddltrain
