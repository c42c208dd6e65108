#include "trainer/timing/communication_measurement.hpp"

#include "trainer/records/disturbance.hpp"
#include "trainer/records/statistics.hpp"
#include "trainer/records/surroundings.hpp"
#include "trainer/synchronisation/parameter_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

namespace ddltrain {
namespace {

/// All processes of a node see the node's busy time; the job's own time is the sum over its ranks.
OtherCpuUse others_on_busiest_node(const RankedJob& job, const CpuUse& from, const CpuUse& to) {
  const auto texts = job.ranks.gather(
      fmt::format("{} {} {}", to.wall_s - from.wall_s, to.machine_busy_s - from.machine_busy_s, to.own_s - from.own_s));
  std::vector<CpuUse> nodes(static_cast<std::size_t>(job.nodes.nodes));
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    CpuUse& node = nodes[static_cast<std::size_t>(job.nodes.node_of_rank[rank])];
    double own_s = 0;
    std::istringstream(texts[rank]) >> node.wall_s >> node.machine_busy_s >> own_s;
    node.own_s += own_s;
  }
  OtherCpuUse most;
  for (const CpuUse& node : nodes) {
    const OtherCpuUse others = other_cpu_use({}, node); // nodes are alike, so this node's load is judged
    if (most.cores < 0 || others.excess() > most.excess()) most = others;
  }
  return most;
}

double run_once(MpiCommunicator& ranks, const std::function<double()>& once) {
  ranks.barrier();
  return once();
}

} // namespace

RankedSamples repeat_together(const RankedJob& job, const std::function<double()>& once, const RepeatLimits& limits,
                              OverRanks over_ranks) {
  for (int i = 0; i < limits.warm_up; ++i) run_once(job.ranks, once);
  RankedSamples samples;
  const CpuUse before = cpu_use();
  const double start_s = now_s();
  double elapsed_s = 0;
  do {
    std::vector<double> time_s = {run_once(job.ranks, once)};
    over_ranks == OverRanks::mean ? job.ranks.all_reduce_mean(time_s) : job.ranks.all_reduce_largest(time_s);
    std::vector<double> longest_s = {now_s() - start_s};
    job.ranks.all_reduce_largest(longest_s);
    samples.times_s.push_back(time_s[0]);
    elapsed_s = longest_s[0];
    if (job.watchdog != nullptr) job.watchdog->beat();
  } while (!enough(samples.times_s, elapsed_s, limits));
  samples.others = others_on_busiest_node(job, before, cpu_use());
  return samples;
}

int operations_in_reading(const RankedJob& job, const std::function<double(int operations)>& timed) {
  constexpr int most = 1000;
  std::vector<double> time_s = {0};
  // the first trial may take long: connections are set up, and memory is touched for the first time
  for (const int trial : {1, 3}) {
    job.ranks.barrier();
    time_s = {timed(trial)};
    job.ranks.all_reduce_largest(time_s);
    if (time_s[0] >= 10 * reading_s) return 1;
  }
  return time_s[0] * most < reading_s ? most : std::max(1, static_cast<int>(reading_s / time_s[0]));
}

RecordHead transfer_head(const RankedJob& job, const RankedSamples& samples, const MeasureOptions& options,
                         const std::string& series, const std::string& timing) {
  RecordHead head = own_head(options.series + series);
  head.library = "open-mpi";
  head.note = join_parts({timing, text_of(job.ranks.wait_policy())});
  put_samples(head, samples.times_s, options);
  mark_disturbance(head, samples.others);
  return head;
}

namespace {

constexpr int first_push_tag = 1;
constexpr int first_pull_tag = 2;

std::size_t elements(std::int64_t size_bytes) {
  return static_cast<std::size_t>(size_bytes) / sizeof(float);
}

/// Returns on how many nodes these ranks are.
int nodes_of(const NodeMap& map, const std::vector<std::size_t>& ranks) {
  std::set<int> nodes;
  for (const std::size_t rank : ranks) nodes.insert(map.node_of_rank[rank]);
  return static_cast<int>(nodes.size());
}

std::vector<std::size_t> first_ranks(int count) {
  std::vector<std::size_t> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

double median(const RankedSamples& samples) {
  return summarise(samples.times_s).median;
}

/// The end of a link on one rank; a rank without a partner does nothing.
class LinkEnd {
public:
  LinkEnd(MpiCommunicator& ranks, std::optional<int> peer, std::size_t count)
      : ranks_(ranks), peer_(peer), out_(std::max<std::size_t>(count, 1)), in_(out_.size()), count_(count) {}

  /// Returns half of the time of a round trip; the lower rank begins.
  double time_one_way(int times) {
    return timed(times, 2, [this] {
      const bool first = ranks_.rank() < *peer_;
      if (first) ranks_.send(out_.data(), count_, *peer_, 0);
      ranks_.receive(out_.data(), count_, *peer_, 0);
      if (!first) ranks_.send(out_.data(), count_, *peer_, 0);
    });
  }

  double time_both_ways(int times) {
    return timed(times, 1, [this] {
      std::vector<Transfer> both = {ranks_.start_receive(in_.data(), count_, *peer_, 0),
                                    ranks_.start_send(out_.data(), count_, *peer_, 0)};
      ranks_.wait(both);
    });
  }

private:
  double timed(int times, int messages, const std::function<void()>& once) {
    if (!peer_) return 0;
    const double start_s = now_s();
    for (int i = 0; i < times; ++i) once();
    return (now_s() - start_s) / (times * messages);
  }

  MpiCommunicator& ranks_;
  std::optional<int> peer_;
  std::vector<float> out_;
  std::vector<float> in_;
  std::size_t count_;
};

/// The server's side, as ParameterServer handles one shard: it receives from all workers at once, sums and updates when
/// all have arrived, and answers all.
class Server {
public:
  Server(MpiCommunicator& ranks, int workers, std::size_t count)
      : ranks_(ranks), parameters_(count), sgd_(count, {}),
        arrived_(static_cast<std::size_t>(workers), std::vector<float>(count)) {}

  void take_pushes() {
    std::vector<Transfer> transfers;
    for (std::size_t i = 0; i < arrived_.size(); ++i) {
      transfers.push_back(
          ranks_.start_receive(arrived_[i].data(), parameters_.size(), static_cast<int>(i) + 1, first_push_tag));
    }
    for (std::size_t left = arrived_.size(); left > 0;) left -= ranks_.wait_some(transfers).size();
    sgd_.update(parameters_.data(), sum_pushes(arrived_, 0, parameters_.size()), 0, parameters_.size(),
                /*step=*/0);
  }

  void answer_pulls() {
    std::vector<Transfer> transfers;
    for (std::size_t i = 0; i < arrived_.size(); ++i) {
      transfers.push_back(
          ranks_.start_send(parameters_.data(), parameters_.size(), static_cast<int>(i) + 1, first_pull_tag));
    }
    ranks_.wait(transfers);
  }

private:
  MpiCommunicator& ranks_;
  std::vector<float> parameters_;
  MomentumSgd sgd_;
  std::vector<std::vector<float>> arrived_;
};

std::string text_of(ServerWork work) {
  switch (work) {
  case ServerWork::push:
    return "push";
  case ServerWork::pull:
    return "pull";
  case ServerWork::push_pull:
    break;
  }
  return "push-pull";
}

} // namespace

std::optional<int> partner_of(int rank, int ranks, int pairs) {
  if (rank < pairs) return ranks - pairs + rank;
  if (rank >= ranks - pairs) return rank - (ranks - pairs);
  return std::nullopt;
}

PointToPointRecord measure_link(const RankedJob& job, const LinkTraffic& traffic, std::int64_t size_bytes,
                                const MeasureOptions& options) {
  LinkEnd end(job.ranks, partner_of(job.ranks.rank(), job.ranks.size(), traffic.pairs), elements(size_bytes));
  const auto timed = [&](int times) { return traffic.both_ways ? end.time_both_ways(times) : end.time_one_way(times); };
  const int operations = operations_in_reading(job, timed);
  const RankedSamples samples = repeat_together(
      job, [&] { return timed(operations); }, options.limits);
  const std::string series = (traffic.both_ways ? "both-ways" : "one-way") +
                             (traffic.pairs == 1 ? std::string() : fmt::format("-{}-pairs", traffic.pairs));
  const std::string timing = fmt::format(
      "{}, {} a repetition", traffic.both_ways ? "a message each way at once" : "half of a round trip", operations);
  PointToPointRecord record;
  record.head = transfer_head(job, samples, options, series, timing);
  record.size_bytes = static_cast<double>(size_bytes);
  record.time_s = median(samples);
  record.pairs = traffic.pairs;
  record.both_ways = traffic.both_ways;
  record.nodes = 1;
  for (int rank = 0; rank < traffic.pairs; ++rank) {
    const auto peer = static_cast<std::size_t>(*partner_of(rank, job.ranks.size(), traffic.pairs));
    record.nodes = std::max(record.nodes, nodes_of(job.nodes, {static_cast<std::size_t>(rank), peer}));
  }
  return record;
}

ServerRecord measure_server(const RankedJob& job, ServerWork work, int workers, std::int64_t size_bytes,
                            const MeasureOptions& options) {
  const std::size_t count = elements(size_bytes);
  const int rank = job.ranks.rank();
  const bool pushes = work != ServerWork::pull;
  const bool pulls = work != ServerWork::push;
  Server server(job.ranks, rank == 0 ? workers : 0, rank == 0 ? count : 0);
  std::vector<float> own(rank == 0 ? 0 : count);
  const auto serve = [&] {
    if (pushes) server.take_pushes();
    if (pulls) server.answer_pulls();
  };
  const auto work_once = [&] {
    if (pushes) job.ranks.send(own.data(), count, 0, first_push_tag);
    if (pulls) job.ranks.receive(own.data(), count, 0, first_pull_tag);
  };
  const auto once = [&] {
    if (rank > workers) return 0.0;
    const double start_s = now_s();
    if (rank == 0) {
      serve();
    } else {
      work_once();
    }
    return now_s() - start_s;
  };
  const RankedSamples samples = repeat_together(job, once, options.limits);
  ServerRecord record;
  record.head = transfer_head(
      job, samples, options, "server-" + text_of(work),
      fmt::format("1 server, {} workers, {} bytes each, bytes in and out of the server counted", workers, size_bytes));
  record.what = text_of(work);
  record.workers = workers;
  record.nodes = nodes_of(job.nodes, first_ranks(workers + 1));
  record.size_bytes = static_cast<double>(size_bytes);
  const double bytes = static_cast<double>(size_bytes) * workers * (work == ServerWork::push_pull ? 2 : 1);
  record.rate_Bps = bytes / median(samples);
  return record;
}

} // namespace ddltrain
