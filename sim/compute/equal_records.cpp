#include "sim/compute/equal_records.hpp"

#include "sim/base/statistics.hpp"
#include "sim/compute/other_clusters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// How unlike a record is to one GPU that trains alone on synthetic data; smaller is better.
int rank_of(const StepRecord& record) {
  constexpr int server = 4;
  constexpr int synchronised = 2;
  constexpr int real_data = 1;
  return (has_server(record) ? server : 0) + (record.synchronised ? synchronised : 0) +
         (record.data == "synthetic" ? 0 : real_data);
}

} // namespace

EqualRecords best_of(EqualRecords records) {
  int best = rank_of(*records.front());
  for (const auto* record : records) best = std::min(best, rank_of(*record));
  std::erase_if(records, [&](const StepRecord* record) { return rank_of(*record) != best; });
  std::stable_sort(records.begin(), records.end(),
                   [](const StepRecord* a, const StepRecord* b) { return a->iteration_s < b->iteration_s; });
  return records;
}

double disagreement_of(const EqualRecords& records, double repeat_difference) {
  if (std::log(records.back()->iteration_s / records.front()->iteration_s) <= repeat_difference) return 0;
  std::vector<double> log_times;
  for (const auto* record : records) log_times.push_back(std::log(record->iteration_s));
  return standard_deviation(log_times);
}

std::string disagreement_text(const EqualRecords& records) {
  std::string names;
  for (const auto* record : records) {
    const auto& head = record->head;
    names += fmt::format("{}{:.4g} ms ({})", names.empty() ? "" : ", ", 1e3 * record->iteration_s,
                         head.software.empty() ? "series " + head.series : head.software);
  }
  return fmt::format("{} equally good records disagree: {}. Name one with /series or /software, or state "
                     "/one_gpu_samples_per_s",
                     records.size(), names);
}

} // namespace ddlsim
