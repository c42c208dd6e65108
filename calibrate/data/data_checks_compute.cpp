
#include "calibrate/data/data_checks.hpp"
#include "sim/base/error.hpp"
#include "sim/compute/layer_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

namespace ddlsim {
namespace {

using Records = std::vector<const StepRecord*>;

constexpr double disagreement = 0.2; ///< difference of ln time; the same GPU under two stacks differs by less

double ln_ratio(double a, double b) {
  return std::log(a / b);
}

std::optional<double> roofline_s(const PlausibilityContext& screen, const StepRecord& record) {
  if (screen.model == nullptr || screen.gpu == nullptr) return {};
  try {
    return roofline_iteration_s(*screen.model, *screen.gpu, record.precision, record.batch_per_gpu);
  } catch (const UserError&) {
    return {}; // the catalogue has no peak rate of that precision
  }
}

void keep_plausible(Records& records, const PlausibilityContext& screen, std::vector<Excluded>& excluded) {
  std::erase_if(records, [&](const StepRecord* record) {
    const auto expected_s = roofline_s(screen, *record);
    if (!expected_s) return false;
    const double ln = ln_ratio(record->iteration_s, *expected_s);
    if (!is_unit_mistake(ln)) return false;
    excluded.push_back({place_of(*record), unit_mistake_text(ln, "the roofline of " + screen.gpu->name + " says")});
    return true;
  });
}

/// The median time per sample over all records.
double middle_rate(const Records& records) {
  std::vector<double> rates;
  for (const auto* record : records) rates.push_back(record->iteration_s / record->batch_per_gpu);
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

/// If nothing is known of the GPU, three records can still outvote a fourth one with a wrong unit. A sample in a small
/// batch takes at most some ten times as long as in a large one, and never hundreds of times.
void keep_same_unit(Records& records, std::vector<Excluded>& excluded) {
  constexpr std::size_t fewest = 3;
  if (records.size() < fewest) return;
  const double middle = middle_rate(records);
  std::erase_if(records, [&](const StepRecord* record) {
    const double ln = ln_ratio(record->iteration_s / record->batch_per_gpu, middle);
    if (!is_unit_mistake(ln)) return false;
    excluded.push_back({place_of(*record), unit_mistake_text(ln, "the other records say of a sample")});
    return true;
  });
}

std::set<double> batches_of(const Records& records) {
  std::set<double> batches;
  for (const auto* record : records) batches.insert(record->batch_per_gpu);
  return batches;
}

Records without_batch(const Records& records, double batch) {
  Records others;
  std::copy_if(records.begin(), records.end(), std::back_inserter(others),
               [&](const StepRecord* record) { return record->batch_per_gpu != batch; });
  return others;
}

/// The time that records at `batch` should have: by the line through at least two other batches, or else the median of
/// three or more records at this batch.
std::optional<double> reference_time_s(const Records& records, const Records& at_batch, double batch,
                                       const PlausibilityContext& screen) {
  constexpr std::size_t fewest_batches = 2;
  constexpr std::size_t fewest_votes = 3;
  const auto others = without_batch(records, batch);
  if (batches_of(others).size() >= fewest_batches)
    return fit_line(batch_times(others), screen.expected_fixed).time_s(batch);
  if (at_batch.size() >= fewest_votes) return at_batch[at_batch.size() / 2]->iteration_s;
  return {};
}

/// Resolves records of one batch that differ by more than two stacks would. The record nearest to the reference time is
/// kept, with those that agree with it.
void settle_duplicates(Records& records, const PlausibilityContext& screen, std::vector<Excluded>& excluded,
                       std::vector<std::string>& warnings) {
  for (const double batch : batches_of(records)) {
    Records same;
    std::copy_if(records.begin(), records.end(), std::back_inserter(same),
                 [&](const StepRecord* record) { return record->batch_per_gpu == batch; });
    if (ln_ratio(same.back()->iteration_s, same.front()->iteration_s) <= disagreement) continue;
    const auto reference_s = reference_time_s(records, same, batch, screen);
    if (!reference_s) {
      warnings.push_back(
          fmt::format("{} and {} contradict each other: {:.4g} ms and {:.4g} ms at batch {:g}; both are kept",
                      place_of(*same.front()), place_of(*same.back()), 1e3 * same.front()->iteration_s,
                      1e3 * same.back()->iteration_s, batch));
      continue;
    }
    const auto nearest = *std::min_element(same.begin(), same.end(), [&](const StepRecord* a, const StepRecord* b) {
      return std::abs(ln_ratio(a->iteration_s, *reference_s)) < std::abs(ln_ratio(b->iteration_s, *reference_s));
    });
    std::erase_if(records, [&](const StepRecord* record) {
      const double ln = ln_ratio(record->iteration_s, nearest->iteration_s);
      if (record->batch_per_gpu != batch || std::abs(ln) <= disagreement) return false;
      excluded.push_back(
          {place_of(*record), fmt::format("contradicts {} at batch {:g} by {:.0f} %, and the others agree "
                                          "with that one",
                                          place_of(*nearest), batch, 100 * std::abs(std::expm1(ln)))});
      return true;
    });
  }
}

/// The largest plausible distance of a batch from the line through the others. The line is not straight at its ends:
/// rates fall by up to 35 % where memory is nearly full, and in the smallest batches launches dominate.
double most_off(const std::vector<BatchTime>& others, double batch) {
  constexpr double at_an_end = 0.5;
  const bool inside = batch > others.front().batch && batch < others.back().batch;
  return inside ? disagreement : at_an_end;
}

/// Removes the batch that is farthest off the line through the others, then checks the rest again.
void drop_outliers(Records& records, const PlausibilityContext& screen, std::vector<Excluded>& excluded) {
  constexpr std::size_t fewest_others = 3;
  while (batches_of(records).size() > fewest_others) {
    double worst = disagreement;
    double worst_batch = 0;
    for (const double batch : batches_of(records)) {
      const auto others = batch_times(without_batch(records, batch));
      // The others must agree among themselves, or else one of them may be the outlier.
      if (leave_one_batch_out(others, screen.expected_fixed) > disagreement / 2) continue;
      const auto line = fit_line(others, screen.expected_fixed);
      for (const auto* record : records) {
        if (record->batch_per_gpu != batch) continue;
        const double off = std::abs(ln_ratio(record->iteration_s, line.time_s(batch)));
        if (off > worst && off > most_off(others, batch)) {
          worst = off;
          worst_batch = batch;
        }
      }
    }
    if (worst_batch == 0) return;
    for (const auto* record : records)
      if (record->batch_per_gpu == worst_batch)
        excluded.push_back({place_of(*record),
                            fmt::format("{:.0f} % off the line through the other batches", 100 * std::expm1(worst))});
    records = without_batch(records, worst_batch);
  }
}

} // namespace

std::vector<const StepRecord*> plausible_records(const std::vector<const StepRecord*>& records,
                                                 const PlausibilityContext& screen, std::vector<Excluded>& excluded,
                                                 std::vector<std::string>& warnings) {
  auto kept = records;
  keep_plausible(kept, screen, excluded);
  keep_same_unit(kept, excluded);
  settle_duplicates(kept, screen, excluded, warnings);
  drop_outliers(kept, screen, excluded);
  return kept;
}

std::string place_of(const StepRecord& record) {
  return fmt::format("{}:{}", std::filesystem::path(record.head.file).filename().string(), record.head.line);
}

std::vector<BatchTime> batch_times(const std::vector<const StepRecord*>& records) {
  std::vector<BatchTime> points;
  for (const auto* record : records) points.push_back({record->batch_per_gpu, record->iteration_s});
  return points;
}

} // namespace ddlsim
