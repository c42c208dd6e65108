#include "sim/base/error.hpp"
#include "trainer/cli/train_command.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/records/surroundings.hpp"
#include "trainer/synchronisation/server_synchroniser.hpp"
#include "trainer/timing/step_clock.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <sstream>

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

const std::map<std::string, Exchange> exchanges = {{"none", Exchange::none},
                                                   {"ring", Exchange::ring},
                                                   {"all-reduce", Exchange::all_reduce},
                                                   {"ps", Exchange::servers},
                                                   {"ps-async", Exchange::servers}};
const std::map<std::string, Grouping> groupings = {{"buckets", Grouping::buckets},
                                                   {"per-tensor", Grouping::per_tensor},
                                                   {"fusion", Grouping::fusion},
                                                   {"single", Grouping::single}};

const std::map<std::string, ddlsim::Precision> precisions = {{"fp32", ddlsim::Precision::fp32},
                                                             {"tf32", ddlsim::Precision::tf32},
                                                             {"amp", ddlsim::Precision::amp},
                                                             {"bf16", ddlsim::Precision::bf16}};

bool is_all_reduce(const TrainStrategy& strategy) {
  return strategy.exchange == Exchange::ring || strategy.exchange == Exchange::all_reduce;
}

/// Sets the usual grouping of frameworks. All-reduces run in buckets or fused, overlapped with backward, or a tensor at
/// a time or all at once after backward. Servers get each tensor when it is ready.
void choose_grouping(TrainArguments& arguments) {
  TrainStrategy& strategy = arguments.options.strategy;
  const bool serves = strategy.exchange == Exchange::servers;
  if (arguments.grouping.empty()) arguments.grouping = serves ? "per-tensor" : "buckets";
  strategy.grouping = named(groupings, arguments.grouping, "--grouping");
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

void choose_buffers(TrainArguments& arguments) {
  TrainStrategy& strategy = arguments.options.strategy;
  const std::map<std::string, bool> choices = {
      {"auto", usually_broadcasts_buffers(strategy)}, {"on", true}, {"off", false}};
  strategy.broadcast_buffers = named(choices, arguments.buffers, "--broadcast-buffers");
  if (!strategy.broadcast_buffers || is_all_reduce(strategy)) return;
  throw ddlsim::UserError("", "", "--broadcast-buffers on is for --strategy ring and all-reduce");
}

/// Reads a schedule such as "30:0.1".
EpochSchedule schedule_in(const std::string& text, EpochSchedule schedule) {
  if (text.empty()) return schedule;
  std::istringstream words(text);
  char colon = ' ';
  const bool whole = words >> schedule.every >> colon >> schedule.factor && colon == ':' && words.peek() == EOF;
  if (whole && schedule.every > 0 && schedule.factor > 0) return schedule;
  throw ddlsim::UserError("", "",
                          fmt::format("--lr-schedule \"{}\" found; EPOCHS:FACTOR above 0 is expected, such as 30:0.1: "
                                      "a tenth every 30 epochs",
                                      text));
}

/// Sets the values of the model's paper where the user states none.
void choose_optimizer(TrainArguments& arguments) {
  TrainOptions& options = arguments.options;
  const CatalogueEntry& model = find_model(options.model);
  options.sgd.learning_rate = arguments.learning_rate.value_or(model.learning_rate.value);
  options.sgd.weight_decay = arguments.weight_decay.value_or(model.weight_decay.value);
  options.schedule = schedule_in(arguments.schedule, options.schedule);
}

void check_data(const TrainOptions& options) {
  if (!options.nan_is_fatal && options.data != "synthetic") {
    throw ddlsim::UserError("", "", "--ignore-loss is for --data synthetic, where nothing is learnt");
  }
  if (!options.replay.empty() && options.data != "synthetic") {
    throw ddlsim::UserError("", "",
                            "--replay waits instead of computing, so it learns nothing: use it with --data synthetic");
  }
}

/// Checks that device, backend and precision fit each other, whether or not this machine has them.
void check_device_options(TrainArguments& arguments) {
  TrainOptions& options = arguments.options;
  const TrainStrategy& strategy = options.strategy;
  named<int>({{"cpu", 0}, {"cuda", 0}}, options.device, "--device");
  named<int>({{"mpi", 0}, {"nccl", 0}}, options.backend, "--backend");
  options.precision = named(precisions, arguments.precision, "--precision");
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

} // namespace

bool usually_broadcasts_buffers(const TrainStrategy& strategy) {
  return is_all_reduce(strategy) && strategy.grouping == Grouping::buckets;
}

void settle(TrainArguments& arguments) {
  TrainStrategy& strategy = arguments.options.strategy;
  if (arguments.strategy.empty()) arguments.strategy = arguments.options.backend == "nccl" ? "all-reduce" : "ring";
  strategy.exchange = named(exchanges, arguments.strategy, "--strategy");
  const bool serves = strategy.exchange == Exchange::servers;
  if (arguments.asynchronous && !serves) throw ddlsim::UserError("", "", "--async is for --strategy ps");
  strategy.asynchronous = arguments.asynchronous || arguments.strategy == "ps-async";
  if (strategy.asynchronous) arguments.strategy = "ps-async";
  const std::map<std::string, bool> placements = {{"dedicated", true}, {"colocated", false}};
  strategy.dedicated = named(placements, arguments.placement, "--placement");
  if (serves) place_shards({1}, strategy.servers, strategy.sharding); // this refuses unknown values
  choose_grouping(arguments);
  choose_buffers(arguments);
  choose_optimizer(arguments);
  check_data(arguments.options);
  check_device_options(arguments);
  if (arguments.options.replay.empty()) check_gpu(arguments.gpu, arguments.options.device, "");
}

} // namespace ddltrain
