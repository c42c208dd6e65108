#include "trainer/timing/collective_measurement.hpp"

#include "sim/base/error.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddltrain {
namespace {

struct Named {
  Collective collective;
  const char* record;
  const char* typed;
};
constexpr Named collective_names[] = {{Collective::all_reduce, "all_reduce", "all-reduce"},
                                      {Collective::reduce_scatter, "reduce_scatter", "reduce-scatter"},
                                      {Collective::all_gather, "all_gather", "all-gather"},
                                      {Collective::broadcast, "broadcast", "broadcast"}};

bool has_shares(Collective collective) {
  return collective == Collective::reduce_scatter || collective == Collective::all_gather;
}

} // namespace

std::string text_of(Collective collective) {
  for (const Named& name : collective_names) {
    if (name.collective == collective) return name.record;
  }
  return "unknown";
}

Collective collective_named(const std::string& text) {
  std::string known;
  for (const Named& name : collective_names) {
    if (name.typed == text) return name.collective;
    known += (known.empty() ? "" : ", ") + std::string(name.typed);
  }
  throw ddlsim::UserError("", "", fmt::format("unknown --operation \"{}\"; there are {}", text, known));
}

Bandwidths bandwidths_of(Collective collective, double size_bytes, double time_s, int ranks) {
  const double algorithm_Bps = size_bytes / time_s;
  const double sent = static_cast<double>(ranks - 1) / ranks;
  switch (collective) {
  case Collective::all_reduce:
    return {algorithm_Bps, algorithm_Bps * 2 * sent};
  case Collective::reduce_scatter:
  case Collective::all_gather:
    return {algorithm_Bps, algorithm_Bps * sent};
  case Collective::broadcast:
    break;
  }
  return {algorithm_Bps, algorithm_Bps};
}

std::size_t elements_of(Collective collective, std::int64_t size_bytes, int ranks) {
  const std::size_t count = static_cast<std::size_t>(size_bytes) / sizeof(float);
  if (!has_shares(collective)) return count;
  const auto n = static_cast<std::size_t>(ranks);
  return std::max<std::size_t>(count / n, 1) * n;
}

namespace {

constexpr std::size_t element_period =
    /// period of the given elements: coprime to every power of two, so shifted data are noticed
    97;

float index_part(std::size_t index) {
  return static_cast<float>(index % element_period);
}

} // namespace

float given_element(int rank, std::size_t index) {
  return index_part(index) + static_cast<float>(rank);
}

float expected_element(Collective collective, int ranks, std::size_t count, std::size_t index) {
  const int sum_of_ranks = ranks * (ranks - 1) / 2;
  switch (collective) {
  case Collective::all_reduce:
  case Collective::reduce_scatter:
    return static_cast<float>(ranks) * index_part(index) + static_cast<float>(sum_of_ranks);
  case Collective::all_gather:
    return given_element(static_cast<int>(index / (count / static_cast<std::size_t>(ranks))), index);
  case Collective::broadcast:
    break;
  }
  return given_element(0, index);
}

void check_result(Collective collective, const std::string& label, int rank, int ranks, std::size_t count,
                  const std::vector<float>& result) {
  const std::size_t first = collective == Collective::reduce_scatter
                                ? static_cast<std::size_t>(rank) * (count / static_cast<std::size_t>(ranks))
                                : 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float expected = expected_element(collective, ranks, count, first + i);
    if (result[i] == expected) continue;
    throw RunError(fmt::format("{} of {} by {} went wrong on rank {}: element {} is {}, {} was expected; its times are "
                               "not to be trusted",
                               text_of(collective), size_text(static_cast<std::int64_t>(count * sizeof(float))), label,
                               rank, first + i, result[i], expected));
  }
}

namespace {

void check_known_elements(MpiCommunicator& ranks, const CollectiveBackend& backend, Collective collective,
                          std::size_t count) {
  std::vector<float> elements(count);
  for (std::size_t i = 0; i < count; ++i) elements[i] = given_element(ranks.rank(), i);
  backend.fill(elements);
  backend.run(collective, count, 1, false);
  check_result(collective, backend.label, ranks.rank(), ranks.size(), count, backend.result(collective, count));
  std::fill(elements.begin(), elements.end(), 0.0F); // sums of sums would leave the range of fp32
  backend.fill(elements);
}

std::string timing_text(const CollectiveTiming& timing, int operations) {
  if (timing.queued > 0) return fmt::format("{} operations queued, mean over the ranks", operations);
  return fmt::format("{} operation{} a repetition, the slowest rank's time", operations, operations == 1 ? "" : "s");
}

} // namespace

CollectiveRecord measure_collective(const RankedJob& job, const CollectiveBackend& backend, Collective collective,
                                    std::int64_t size_bytes, const CollectiveTiming& timing,
                                    const MeasureOptions& options) {
  const std::size_t count = elements_of(collective, size_bytes, job.ranks.size());
  const bool queued = timing.queued > 0;
  const auto timed = [&](int times) {
    const double start_s = now_s();
    backend.run(collective, count, times, queued);
    return (now_s() - start_s) / times;
  };
  const int operations = queued ? timing.queued : operations_in_reading(job, timed);
  const auto over_ranks = queued ? OverRanks::mean : OverRanks::slowest;
  const RankedSamples samples = repeat_together(
      job, [&] { return timed(operations); }, options.limits, over_ranks);
  check_known_elements(job.ranks, backend, collective, count);
  CollectiveRecord record;
  const std::string series = fmt::format("{}-{}{}", text_of(collective), backend.label, queued ? "-queued" : "");
  record.head = transfer_head(job, samples, options, series, timing_text(timing, operations));
  record.head.library = backend.library;
  record.operation = text_of(collective);
  record.algorithm = backend.algorithm;
  record.ranks = job.ranks.size();
  record.nodes = job.nodes.nodes;
  record.size_bytes = static_cast<double>(count * sizeof(float));
  record.time_s = summarise(samples.times_s).median;
  return record;
}

} // namespace ddltrain
