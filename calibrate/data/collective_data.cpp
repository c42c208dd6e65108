#include "calibrate/data/collective_data.hpp"

#include "calibrate/data/data_checks.hpp"
#include "sim/base/statistics.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace ddlsim {
namespace {

/// One record of a transfer, of any kind.
struct TransferRow {
  const RecordHead* head = nullptr;
  CollectiveKey key;
  int concurrent_jobs = 1;
  TransferSample sample;
  std::optional<LibraryVersion> version{};
};

/// Factor between two times of one size above which they are reported. Repeats in published tables differ by a few per
/// cent.
constexpr double conflict = 1.5;
/// Bytes below which a size counts as the empty message, whose logarithm does not exist.
constexpr double least_bytes = 1;

CollectiveKey common_key(const Context& context, const RecordHead& head) {
  CollectiveKey key;
  key.cluster = context.cluster;
  key.series = head.series;
  key.transport = head.transport;
  key.library = head.library;
  return key;
}

/// The library version that the record states, else that of its context.
std::optional<LibraryVersion> stated_version(const Context& context, const RecordHead& head) {
  const auto library = value_named<CollectiveLibrary>(head.library);
  if (!library) return std::nullopt;
  const auto own = library_version_in(head.software, *library);
  return own ? own : library_version_in(context.software, *library);
}

TransferRow row_of(const Context& context, const CollectiveRecord& record) {
  TransferRow row{&record.head,
                  common_key(context, record.head),
                  record.concurrent_jobs,
                  {std::max(record.size_bytes, least_bytes), record.time_s},
                  stated_version(context, record.head)};
  row.key.operation = record.operation;
  row.key.algorithm = record.algorithm;
  row.key.ranks = record.ranks;
  row.key.nodes = record.nodes;
  return row;
}

TransferRow row_of(const Context& context, const PointToPointRecord& record) {
  TransferRow row{
      &record.head, common_key(context, record.head), 1, {std::max(record.size_bytes, least_bytes), record.time_s}};
  row.key.operation = "point_to_point";
  row.key.algorithm = "none";
  row.key.ranks = 2;
  row.key.nodes = record.nodes;
  return row;
}

/// Rows grouped into curves: the rows of a group have the same key and file.
using Groups = std::map<std::pair<CollectiveKey, std::string>, std::vector<TransferRow>>;

Groups grouped(const std::vector<MeasurementFile>& files) {
  Groups groups;
  for (const auto& file : files) {
    for (const auto& record : file.records) {
      if (const auto* one = std::get_if<CollectiveRecord>(&record)) {
        const TransferRow row = row_of(file.context, *one);
        groups[{row.key, file.file.string()}].push_back(row);
      } else if (const auto* message = std::get_if<PointToPointRecord>(&record);
                 // a curve describes one message that runs alone
                 message != nullptr && message->pairs == 1 && !message->both_ways) {
        const TransferRow row = row_of(file.context, *message);
        groups[{row.key, file.file.string()}].push_back(row);
      }
    }
  }
  return groups;
}

std::vector<int> lines_of(const std::vector<TransferRow>& rows) {
  std::vector<int> lines;
  for (const auto& row : rows) lines.push_back(row.head->line);
  return lines;
}

std::string place_text(const std::string& file, const std::vector<int>& lines) {
  return fmt::format("{}:{}", std::filesystem::path(file).filename().string(), lines_text(lines));
}

/// Removes the rows for which `unwanted` is true, and returns them.
template <class Unwanted> std::vector<TransferRow> take_out(std::vector<TransferRow>& rows, const Unwanted& unwanted) {
  const auto split =
      std::stable_partition(rows.begin(), rows.end(), [&](const TransferRow& row) { return !unwanted(row); });
  std::vector<TransferRow> out(split, rows.end());
  rows.erase(split, rows.end());
  return out;
}

/// Adds one note for each file, because contention is measured in many series at once.
void note_shared(const std::string& file, const std::vector<TransferRow>& shared, std::vector<Excluded>& notes) {
  const auto [least, most] =
      std::minmax_element(shared.begin(), shared.end(), [](const TransferRow& a, const TransferRow& b) {
        return a.concurrent_jobs < b.concurrent_jobs;
      });
  notes.push_back({place_text(file, lines_of(shared)),
                   fmt::format("{} records of {} to {} jobs that shared their links: their times are not one job's",
                               shared.size(), least->concurrent_jobs, most->concurrent_jobs)});
}

void exclude_shared(Groups& groups, std::vector<Excluded>& notes) {
  std::map<std::string, std::vector<TransferRow>> shared;
  for (auto& [name, rows] : groups) {
    const auto out = take_out(rows, [](const TransferRow& row) { return row.concurrent_jobs > 1; });
    if (!out.empty()) shared[name.second].insert(shared[name.second].end(), out.begin(), out.end());
  }
  for (const auto& [file, rows] : shared) note_shared(file, rows, notes);
}

void exclude_suspect(std::vector<TransferRow>& rows, const std::string& file, std::vector<Excluded>& notes) {
  const auto is_suspect = [](const TransferRow& row) { return row.head->suspect; };
  if (std::none_of(rows.begin(), rows.end(), is_suspect)) return;
  notes.push_back({place_text(file, lines_of(take_out(rows, is_suspect))), std::string(marked_by_source)});
}

/// Standard deviation of ln time: between the records of one size, or as one record states it.
double spread_of(const std::vector<TransferRow>& rows, const std::vector<double>& logs) {
  double stated = 0;
  for (const auto& row : rows) stated = std::max(stated, row.head->relative_spread);
  return logs.size() < 2 ? stated : standard_deviation(logs);
}

/// The merged times of one size, and the largest factor between two of them.
struct MergedTimes {
  CollectiveSample sample;
  double least_s = 0;
  double most_s = 0;
};

MergedTimes merged(const std::vector<TransferRow>& rows) {
  std::vector<double> logs;
  for (const auto& row : rows) logs.push_back(std::log(row.sample.time_s));
  const auto [least, most] = std::minmax_element(logs.begin(), logs.end());
  const TransferSample sample{rows.front().sample.size_bytes, std::exp(median(logs))};
  return {{sample, spread_of(rows, logs), lines_of(rows)}, std::exp(*least), std::exp(*most)};
}

/// The version that all rows state; nothing if they differ.
std::optional<LibraryVersion> common_version(const std::vector<TransferRow>& rows) {
  if (rows.empty()) return {};
  const auto& first = rows.front().version;
  const bool alike =
      std::all_of(rows.begin(), rows.end(), [&](const TransferRow& row) { return row.version == first; });
  return alike ? first : std::nullopt;
}

/// Adds one note for each curve, with the size that differs most.
void report_conflicts(const std::vector<MergedTimes>& sizes, const std::string& file, std::vector<Excluded>& notes) {
  std::vector<int> lines;
  int count = 0;
  const MergedTimes* worst = nullptr;
  for (const auto& size : sizes) {
    if (size.most_s <= conflict * size.least_s) continue;
    lines.insert(lines.end(), size.sample.lines.begin(), size.sample.lines.end());
    ++count;
    if (worst == nullptr || size.most_s / size.least_s > worst->most_s / worst->least_s) worst = &size;
  }
  if (worst == nullptr) return;
  notes.push_back(
      {place_text(file, lines),
       fmt::format("records of the same size contradict each other at {} {}, most at {:.0f} bytes: {} to {}; the "
                   "middle is used",
                   count, count == 1 ? "size" : "sizes", worst->sample.sample.size_bytes,
                   print_quantity(worst->least_s, Dimension::time), print_quantity(worst->most_s, Dimension::time))});
}

std::vector<CollectiveSample> merged_by_size(const std::vector<TransferRow>& rows, const std::string& file,
                                             std::vector<Excluded>& notes) {
  std::map<double, std::vector<TransferRow>> by_size;
  for (const auto& row : rows) by_size[row.sample.size_bytes].push_back(row);
  std::vector<MergedTimes> sizes;
  for (const auto& [size_bytes, same] : by_size) sizes.push_back(merged(same));
  report_conflicts(sizes, file, notes);
  std::vector<CollectiveSample> samples;
  for (auto& size : sizes) samples.push_back(std::move(size.sample));
  return samples;
}

/// Excludes implausible rows. Rows that make the same mistake share one note.
void exclude_implausible(CollectiveData& fit_data) {
  std::vector<TransferSample> samples;
  for (const auto& one : fit_data.samples) samples.push_back(one.sample);
  std::vector<CollectiveSample> kept;
  const auto reasons = implausible_rows(samples);
  std::map<std::string, std::vector<int>> reported;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (reasons[i].empty()) {
      kept.push_back(fit_data.samples[i]);
    } else {
      auto& lines = reported[reasons[i]];
      lines.insert(lines.end(), fit_data.samples[i].lines.begin(), fit_data.samples[i].lines.end());
    }
  }
  for (const auto& [why, lines] : reported) fit_data.notes.push_back({place_text(fit_data.file, lines), why});
  fit_data.samples = std::move(kept);
}

bool same_times(const CollectiveData& a, const CollectiveData& b) {
  constexpr std::size_t enough = 3; // number of equal numbers from which they are no chance
  return a.samples.size() >= enough && a.samples.size() == b.samples.size() &&
         std::equal(a.samples.begin(), a.samples.end(), b.samples.begin(),
                    [](const CollectiveSample& x, const CollectiveSample& y) {
                      return x.sample.size_bytes == y.sample.size_bytes && x.sample.time_s == y.sample.time_s;
                    });
}

void note_copies(std::vector<CollectiveData>& curves) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!same_times(curves[i], curves[j])) continue;
      curves[i].notes.push_back({curve_name(curves[i].key),
                                 fmt::format("every time equals that of {}: one of the two tables is a copy, and they "
                                             "are not two measurements",
                                             curve_name(curves[j].key))});
    }
  }
}

} // namespace

std::string curve_name(const CollectiveKey& key) {
  std::string name = fmt::format("{}/{}: {}", key.cluster, key.series, key.operation);
  if (key.operation == "point_to_point")
    return name + (key.nodes == 0 ? "" : key.nodes == 1 ? " inside a node" : " between nodes");
  if (key.algorithm != "unknown") name += " (" + key.algorithm + ")";
  return name + fmt::format(" of {} ranks on {} {}", key.ranks, key.nodes, key.nodes == 1 ? "node" : "nodes");
}

std::string lines_text(std::vector<int> lines) {
  constexpr int most_runs = 6;
  std::sort(lines.begin(), lines.end());
  std::string text;
  int runs = 0;
  for (std::size_t i = 0; i < lines.size(); ++runs) {
    std::size_t last = i;
    while (last + 1 < lines.size() && lines[last + 1] <= lines[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + fmt::format("{}", lines[i]);
    if (lines[last] != lines[i]) text += fmt::format("-{}", lines[last]);
    i = last + 1;
  }
  if (runs <= most_runs) return text;
  return fmt::format("{}-{}, {} of them", lines.front(), lines.back(), lines.size());
}

AllCollectiveData collective_data(const std::vector<MeasurementFile>& files) {
  AllCollectiveData all;
  auto groups = grouped(files);
  exclude_shared(groups, all.notes);
  for (auto& [name, rows] : groups) {
    if (rows.empty()) continue;
    CollectiveData fit_data;
    fit_data.key = name.first;
    fit_data.file = name.second;
    exclude_suspect(rows, fit_data.file, fit_data.notes);
    fit_data.version = common_version(rows);
    fit_data.samples = merged_by_size(rows, fit_data.file, fit_data.notes);
    exclude_implausible(fit_data);
    if (fit_data.samples.empty()) {
      all.notes.insert(all.notes.end(), fit_data.notes.begin(), fit_data.notes.end());
    } else {
      all.curves.push_back(std::move(fit_data));
    }
  }
  note_copies(all.curves);
  return all;
}

} // namespace ddlsim
