#include "trainer/timing/communication_measurement.hpp"

#include "trainer/records/disturbance.hpp"
#include "trainer/records/statistics.hpp"
#include "trainer/synchronisation/parameter_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

namespace ddltrain {
namespace {

/// A node's processes all see its busy time; what the job's own took is the sum over its ranks.
OthersUse others_on_busiest_node(const RankedJob& job, const CpuUse& from, const CpuUse& to) {
  const auto texts = job.ranks.gather(
      fmt::format("{} {} {}", to.wall_s - from.wall_s, to.machine_busy_s - from.machine_busy_s, to.own_s - from.own_s));
  std::vector<CpuUse> nodes(static_cast<std::size_t>(job.nodes.nodes));
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    CpuUse& node = nodes[static_cast<std::size_t>(job.nodes.node_of_rank[rank])];
    double own_s = 0;
    std::istringstream(texts[rank]) >> node.wall_s >> node.machine_busy_s >> own_s;
    node.own_s += own_s;
  }
  OthersUse most;
  for (const CpuUse& node : nodes) {
    const OthersUse others = others_use({}, node); // nodes are alike
    if (most.cores < 0 || others.excess() > most.excess()) most = others;
  }
  return most;
}

double run_once(MpiCommunicator& ranks, const std::function<double()>& once) {
  ranks.barrier();
  return once();
}

} // namespace

RankedSamples repeat_together(const RankedJob& job, const std::function<double()>& once, const RepeatLimits& limits) {
  for (int i = 0; i < limits.warm_up; ++i) run_once(job.ranks, once);
  RankedSamples samples;
  const CpuUse before = cpu_use();
  const double start_s = now_s();
  double elapsed_s = 0;
  do {
    std::vector<double> slowest = {run_once(job.ranks, once), now_s() - start_s};
    job.ranks.all_reduce_largest(slowest);
    samples.times_s.push_back(slowest[0]);
    elapsed_s = slowest[1];
  } while (!enough(samples.times_s, elapsed_s, limits));
  samples.others = others_on_busiest_node(job, before, cpu_use());
  return samples;
}

namespace {

constexpr int kPushTag = 1;
constexpr int kPullTag = 2;
/// A message's time is known to a percent when the clock's 25 ns are small against the repetition; above this size one
/// round trip is long enough.
constexpr std::int64_t kSmallMessage_bytes = 65536;
constexpr int kSmallRoundTrips = 20;

std::size_t elements(std::int64_t size_bytes) {
  return static_cast<std::size_t>(size_bytes) / sizeof(float);
}

RecordHead head_of(const RankedJob& job, const RankedSamples& samples, const MeasureOptions& options,
                   const std::string& series) {
  RecordHead head = own_head(options.series + series);
  head.library = "open-mpi";
  head.note = text_of(job.ranks.wait_policy());
  put_samples(head, samples.times_s, options);
  mark_disturbance(head, samples.others);
  return head;
}

/// On how many nodes these ranks are.
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

/// One send and one receive, in the order the side has them.
void ping_pong(MpiCommunicator& ranks, int peer, std::vector<float>& data, std::size_t count, bool first) {
  if (first) ranks.send(data.data(), count, peer, 0);
  ranks.receive(data.data(), count, peer, 0);
  if (!first) ranks.send(data.data(), count, peer, 0);
}

/// The server's side, as ParameterServer does it for one shard: receives from all workers at once, sums and updates
/// when all are there, answers all.
class Server {
public:
  Server(MpiCommunicator& ranks, int workers, std::size_t count)
      : ranks_(ranks), parameters_(count), sgd_(count, {}),
        arrived_(static_cast<std::size_t>(workers), std::vector<float>(count)) {}

  void take_pushes() {
    std::vector<Transfer> transfers;
    for (std::size_t i = 0; i < arrived_.size(); ++i) {
      transfers.push_back(
          ranks_.start_receive(arrived_[i].data(), parameters_.size(), static_cast<int>(i) + 1, kPushTag));
    }
    for (std::size_t left = arrived_.size(); left > 0;) left -= ranks_.wait_some(transfers).size();
    sgd_.update(parameters_.data(), sum_pushes(arrived_, 0, parameters_.size()), 0, parameters_.size());
  }

  void answer_pulls() {
    std::vector<Transfer> transfers;
    for (std::size_t i = 0; i < arrived_.size(); ++i) {
      transfers.push_back(ranks_.start_send(parameters_.data(), parameters_.size(), static_cast<int>(i) + 1, kPullTag));
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

Bandwidths all_reduce_bandwidths(double size_bytes, double time_s, int ranks) {
  const double algorithm_Bps = size_bytes / time_s;
  return {algorithm_Bps, algorithm_Bps * 2 * (ranks - 1) / ranks};
}

CollectiveRecord measure_all_reduce(const RankedJob& job, const TimedAllReduce& way, std::int64_t size_bytes,
                                    const MeasureOptions& options) {
  const auto once = [&] {
    const double start_s = now_s();
    way.run(way.data, elements(size_bytes));
    return now_s() - start_s;
  };
  const RankedSamples samples = repeat_together(job, once, options.limits);
  CollectiveRecord record;
  record.head = head_of(job, samples, options, "all_reduce-" + way.label);
  record.head.library = way.library;
  record.operation = "all_reduce";
  record.algorithm = way.algorithm;
  record.ranks = job.ranks.size();
  record.nodes = job.nodes.nodes;
  record.size_bytes = static_cast<double>(size_bytes);
  record.time_s = median(samples);
  return record;
}

PointToPointRecord measure_link(const RankedJob& job, int peer, std::int64_t size_bytes,
                                const MeasureOptions& options) {
  std::vector<float> data(std::max<std::size_t>(elements(size_bytes), 1));
  const int round_trips = size_bytes > kSmallMessage_bytes ? 1 : kSmallRoundTrips;
  const int rank = job.ranks.rank();
  const auto once = [&] {
    if (rank != 0 && rank != peer) return 0.0;
    const double start_s = now_s();
    for (int i = 0; i < round_trips; ++i) {
      ping_pong(job.ranks, rank == 0 ? peer : 0, data, elements(size_bytes), rank == 0);
    }
    return rank == 0 ? (now_s() - start_s) / (2 * round_trips) : 0.0;
  };
  const RankedSamples samples = repeat_together(job, once, options.limits);
  PointToPointRecord record;
  record.head = head_of(job, samples, options, "one-way");
  record.head.note = fmt::format("half of a round trip, {} a repetition, {}", round_trips, record.head.note);
  record.size_bytes = static_cast<double>(size_bytes);
  record.time_s = median(samples);
  record.nodes = nodes_of(job.nodes, {0, static_cast<std::size_t>(peer)});
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
    if (pushes) job.ranks.send(own.data(), count, 0, kPushTag);
    if (pulls) job.ranks.receive(own.data(), count, 0, kPullTag);
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
  record.head = head_of(job, samples, options, "server-" + text_of(work));
  record.head.note = fmt::format("1 server, {} workers, {} bytes each, bytes in and out of the server counted, {}",
                                 workers, size_bytes, record.head.note);
  record.what = text_of(work);
  record.workers = workers;
  record.nodes = nodes_of(job.nodes, first_ranks(workers + 1));
  record.size_bytes = static_cast<double>(size_bytes);
  const double bytes = static_cast<double>(size_bytes) * workers * (work == ServerWork::push_pull ? 2 : 1);
  record.rate_Bps = bytes / median(samples);
  return record;
}

} // namespace ddltrain
