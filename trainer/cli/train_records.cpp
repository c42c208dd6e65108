#include "trainer/cli/train_records.hpp"

#include "trainer/cli/train_command.hpp"
#include "trainer/records/statistics.hpp"
#include "trainer/records/surroundings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <utility>

namespace ddltrain {
namespace {

/// Number of steps that are not counted on a processor, because of allocators, connections, and the first access to
/// memory.
constexpr int warm_up_steps = 2;

/// Most samples of a record; more would make a record that no person can read.
constexpr std::size_t most_samples = 1000;

/// Returns the preset whose framework works like this (scenarios/presets.json).
std::string preset_of(const TrainStrategy& strategy) {
  if (strategy.exchange == Exchange::servers) {
    if (strategy.sharding == "split") return "mxnet-kvstore";
    return strategy.sharding == "hash" ? "byteps" : "tf-ps";
  }
  switch (strategy.grouping) {
  case Grouping::fusion:
    return "horovod";
  case Grouping::single:
    return "bsp";
  case Grouping::per_tensor:
    return strategy.overlapped ? "wfbp" : "pytorch-mpi";
  case Grouping::buckets:
    break;
  }
  return "pytorch-ddp";
}

ddlsim::Context context_of(const TrainArguments& arguments, const NodeMap& workers, const TrainSoftware& software,
                           const std::string& command) {
  ddlsim::Context context;
  context.who = "ddltrain";
  context.cluster = arguments.cluster;
  context.gpu = arguments.gpu;
  context.machine = machine_text(this_machine());
  context.settings = settings_of_run();
  context.settings.merge(settings_of(arguments.options.sgd, arguments.options.schedule));
  context.settings["compute_threads"] = std::to_string(arguments.threads);
  context.settings["broadcast_buffers"] = arguments.options.strategy.broadcast_buffers ? "on" : "off";
  context.nodes = software.nodes;
  if (workers.nodes > 1) context.machine = fmt::format("{} hosts, the first: {}", workers.nodes, context.machine);
  context.software = fmt::format("ddltrain {}, {}, {}", DDLTRAIN_VERSION, software.compute, software.library);
  context.date = today();
  context.source_title = command;
  context.emulated = !arguments.options.replay.empty();
  return context;
}

std::string servers_text(const TrainArguments& arguments) {
  const TrainStrategy& strategy = arguments.options.strategy;
  if (strategy.exchange != Exchange::servers) return "";
  return fmt::format(" ({} {}, {})", strategy.servers, arguments.placement, strategy.sharding);
}

/// Prints a line at once, even into a pipe.
template <class... Values> void say(fmt::format_string<Values...> format, Values&&... values) {
  fmt::print(format, std::forward<Values>(values)...);
  std::fflush(stdout);
}

} // namespace

std::vector<Facts> gather_facts(MpiCommunicator& ranks, const NodeMap& nodes, bool anonymous) {
  const std::vector<std::string> texts = ranks.gather(text_of(facts_of_node(anonymous)));
  std::vector<Facts> all(static_cast<std::size_t>(nodes.nodes));
  // in this order the first rank of a node comes last and decides
  for (std::size_t rank = nodes.node_of_rank.size(); rank-- > 0;) {
    all[static_cast<std::size_t>(nodes.node_of_rank[rank])] = facts_in(texts[rank]);
  }
  return all;
}

Facts settings_of(const SgdOptions& sgd, const EpochSchedule& schedule) {
  Facts facts = {{"learning_rate", fmt::format("{}", sgd.learning_rate)},
                 {"momentum", fmt::format("{}", sgd.momentum)},
                 {"weight_decay", fmt::format("{}", sgd.weight_decay)}};
  if (schedule.every > 0) facts["learning_rate_schedule"] = fmt::format("{}:{}", schedule.every, schedule.factor);
  if (schedule.warm_up > 0) facts["learning_rate_warm_up_epochs"] = fmt::format("{}", schedule.warm_up);
  return facts;
}

TrainRecords::TrainRecords(const TrainArguments& arguments, NodeMap workers, TrainSoftware software,
                           const std::string& command, bool writes)
    : arguments_(arguments), workers_(std::move(workers)), software_(std::move(software)),
      transport_(arguments.transport), writes_(writes) {
  if (!writes_) return;
  if (!arguments_.output_file.empty()) {
    const bool replays = !arguments_.options.replay.empty(); // with a replay, neither device computes
    file_.emplace(arguments_.output_file, context_of(arguments_, workers_, software_, command),
                  MeasuredOn{replays ? "" : arguments_.options.device,
                             arguments_.anonymous ? "" : workers_.host_of_rank.front()});
  }
  const std::size_t ranks = workers_.host_of_rank.size();
  say("{} on {} data: {} {} on {} {}, {}{}, {}{}, batch {} a rank, {}\n", arguments_.options.model,
      arguments_.options.data, ranks, ranks == 1 ? "rank" : "ranks", workers_.nodes,
      workers_.nodes == 1 ? "host" : "hosts", arguments_.strategy, servers_text(arguments_), arguments_.grouping,
      arguments_.options.strategy.overlapped ? " overlapped" : "", arguments_.options.batch_per_worker,
      software_.library);
}

/// Returns what distinguishes two experiments besides their scale: place and rule of servers, overlap with backward,
/// threads, and running statistics that are not treated as usual.
std::string TrainRecords::strategy_text() const {
  const TrainStrategy& strategy = arguments_.options.strategy;
  std::string text = arguments_.strategy;
  if (arguments_.options.backend == "nccl") text += "-nccl";
  if (strategy.exchange == Exchange::servers) text += "-" + arguments_.placement + "-" + strategy.sharding;
  text += "-" + arguments_.grouping;
  if (!strategy.overlapped) text += "-after-backward";
  if (strategy.broadcast_buffers != usually_broadcasts_buffers(strategy)) {
    text += strategy.broadcast_buffers ? "-shared-buffers" : "-own-buffers";
  }
  return arguments_.threads == 1 ? text : text + fmt::format("-{}-threads", arguments_.threads);
}

RecordHead TrainRecords::head() const {
  const TrainOptions& options = arguments_.options;
  const bool drawn = options.data == "digits" || options.data == "synthetic";
  RecordHead head = own_head(fmt::format(
      "{}-{}-{}-b{}{}", options.model, drawn ? options.data : "images", strategy_text(), options.batch_per_worker,
      options.precision == ddlsim::Precision::fp32 ? "" : "-" + arguments_.precision));
  const bool nccl = options.backend == "nccl";
  head.library = nccl ? "nccl" : mpi_library_name(software_.library);
  head.transport = transport_.empty() ? known_transport(head.library, workers_.nodes, settings_of_run()) : transport_;
  return head;
}

void TrainRecords::set_transport(const std::string& transport) {
  if (transport_.empty() && transport != "unknown") transport_ = transport;
}

void TrainRecords::add(const EpochReport& epoch) {
  const std::string accuracy = epoch.accuracy ? fmt::format("  test accuracy {:.2f} %", 100 * *epoch.accuracy) : "";
  say("epoch {}  step {}  loss {:.4f}{}  {:.0f} samples/s\n", epoch.epoch, epoch.steps, epoch.loss, accuracy,
      epoch.samples_per_s);
  // There is no loss record for a replay, which computes no loss, or for a loss that is not a number.
  if (!file_ || !arguments_.options.replay.empty() || !std::isfinite(epoch.loss)) return;
  LossRecord record;
  record.head = head();
  record.head.statistic = "mean";
  record.model = arguments_.options.model;
  record.epoch = static_cast<int>(epoch.epoch);
  record.step = static_cast<long>(epoch.steps);
  record.loss = epoch.loss;
  if (epoch.accuracy) record.accuracy = *epoch.accuracy;
  file_->add(record);
}

StepRecord TrainRecords::step_record(const TrainResult& result) const {
  const TrainStrategy& strategy = arguments_.options.strategy;
  std::vector<double> samples = result.step_s;
  const auto warm_up = std::min<std::ptrdiff_t>(std::max(warm_up_steps, least_warm_up(arguments_.options.device)),
                                                static_cast<std::ptrdiff_t>(samples.size() / 2));
  samples.erase(samples.begin(), samples.begin() + warm_up);
  const Summary summary = summarise(samples);
  StepRecord record = plain_step(head());
  record.head.repeats = summary.count;
  record.head.relative_spread = summary.standard_deviation / summary.median;
  record.head.note =
      join_parts({fmt::format("{}{}", arguments_.grouping, strategy.overlapped ? " overlapped" : ""), software_.math,
                  queue_text(result.queue), text_of(software_.waiting), spread_text(summary)});
  if (strategy.asynchronous) record.head.note += fmt::format(", mean staleness {:.3g} updates", result.mean_staleness);
  if (samples.size() <= most_samples) record.head.samples_s = samples;
  record.model = arguments_.options.model;
  record.precision = arguments_.options.precision;
  record.batch_per_gpu = static_cast<double>(arguments_.options.batch_per_worker);
  record.preset = preset_of(strategy);
  record.strategy.name = named_value<ddlsim::StrategyName>(arguments_.strategy);
  record.strategy.servers = {ddlsim::ServerCount::Rule::count, strategy.servers};
  record.strategy.placement = named_value<ddlsim::Placement>(arguments_.placement);
  record.strategy.sharding = named_value<ddlsim::Sharding>(strategy.sharding);
  record.algorithm = strategy.exchange == Exchange::ring ? "ring" : "unknown";
  record.gpus = static_cast<int>(workers_.host_of_rank.size());
  record.nodes = workers_.nodes;
  record.gpus_per_node = workers_.most_ranks_per_node;
  record.synchronised = strategy.exchange != Exchange::none;
  record.host_paced = host_was_the_pace(result.queue);
  record.data = arguments_.options.data == "synthetic" ? "synthetic" : "real";
  record.iteration_s = summary.median;
  return record;
}

void TrainRecords::finish(const TrainResult& result, const CpuUse& before, MpiCommunicator& world) {
  // This is the processor time of this job on rank 0's host. The rest that was busy there belongs to other processes.
  const CpuUse now = cpu_use();
  const std::vector<std::string> used = world.gather(fmt::format("{:.6f}", now.own_s - before.own_s));
  const std::vector<std::string> hosts = world.gather(this_machine().host);
  if (!writes_ || result.step_s.empty()) return;
  double own_s = 0;
  for (std::size_t rank = 0; rank < used.size(); ++rank) own_s += hosts[rank] == hosts[0] ? std::stod(used[rank]) : 0;
  StepRecord record = step_record(result);
  mark_disturbance(record.head, other_cpu_use(before, now, own_s, cores_of_machine()));
  const double samples = record.batch_per_gpu * record.gpus;
  say("step: median {:.3f} ms, {:.0f} samples/s, spread {:.1f} %, {} steps\n", 1e3 * record.iteration_s,
      samples / record.iteration_s, 100 * record.head.relative_spread, record.head.repeats);
  if (file_) file_->add(record);
}

} // namespace ddltrain
