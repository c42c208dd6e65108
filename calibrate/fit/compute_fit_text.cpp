#include "calibrate/fit/compute_fit.hpp"
#include "sim/base/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ddlsim {
namespace {

constexpr std::size_t most_sentences = 5;

std::string line_name(const BatchLine& line) {
  return fmt::format("{} on {}, {}, {}", line.model, line.gpu.empty() ? "the GPU without name" : line.gpu,
                     to_text(line.precision), line.preset);
}

std::string batches_of(const BatchLine& line) {
  if (line.smallest_batch == line.largest_batch) return fmt::format("{:g}", line.largest_batch);
  return fmt::format("{:g}-{:g}", line.smallest_batch, line.largest_batch);
}

std::vector<std::string> row_of(const BatchLine& line) {
  return {line.gpu.empty() ? "-" : line.gpu,
          line.model,
          to_text(line.precision),
          line.preset,
          batches_of(line),
          fmt::format("{}", line.records),
          fmt::format("{:.4g}", 1e3 * line.fixed_s),
          fmt::format("{:.4g}", 1e3 * line.per_sample_s),
          fmt::format("{:.4g}", line.largest_batch / line_time_s(line, line.largest_batch)),
          line.leave_one_out > 0 ? fmt::format("{:.1f}", 100 * line.leave_one_out) : "-"};
}

std::string table_of(const std::vector<BatchLine>& lines) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& line : lines) rows.push_back(row_of(line));
  return to_table({{"GPU", Align::left},
                   {"model", Align::left},
                   {"precision", Align::left},
                   {"stack", Align::left},
                   {"batches"},
                   {"records"},
                   {"fixed ms"},
                   {"ms a sample"},
                   {"samples/s"},
                   {"left out %"}},
                  rows);
}

/// Width of the line at half and at twice the measured batches, which are the batches that a person would ask about
/// next.
double width_beside(const BatchLine& line) {
  return std::max(line_width(line, line.smallest_batch / 2), line_width(line, 2 * line.largest_batch));
}

/// One line for each reason, with all its records.
std::string excluded_text(const std::vector<Excluded>& excluded) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& one : excluded) by_reason[one.why].push_back(one.what);
  std::string text;
  for (const auto& [why, records] : by_reason) {
    text += fmt::format("Excluded: {}", records.front());
    if (records.size() > 1) text += fmt::format(" and {} more", records.size() - 1);
    text += ": " + why + ".\n";
  }
  return text;
}

} // namespace

std::vector<std::string> compute_measure_next(const std::vector<BatchLine>& lines, std::size_t most) {
  std::vector<const BatchLine*> open;
  for (const auto& line : lines)
    if (line.leave_one_out == 0) open.push_back(&line);
  std::stable_sort(open.begin(), open.end(),
                   [](const BatchLine* a, const BatchLine* b) { return width_beside(*a) > width_beside(*b); });
  std::vector<std::string> sentences;
  for (const auto* line : open) {
    if (sentences.size() == most) break;
    if (line->smallest_batch == line->largest_batch) {
      const double second = std::max(1.0, line->largest_batch / 4);
      sentences.push_back(
          fmt::format("{}: a second batch, {:g} beside {:g}; at batch {:g} the time is known to {:.0f} % now",
                      line_name(*line), second == line->largest_batch ? 4 * second : second, line->largest_batch,
                      2 * line->largest_batch, 100 * line_width(*line, 2 * line->largest_batch)));
    } else {
      sentences.push_back(fmt::format("{}: a third batch between {:g} and {:g} would show whether the line holds",
                                      line_name(*line), line->smallest_batch, line->largest_batch));
    }
  }
  return sentences;
}

std::string to_text(const ComputeFit& fit) {
  std::string text;
  if (!fit.lines.empty())
    text += "Single GPUs, time = fixed + batch x time a sample (rate at the largest batch):\n" + table_of(fit.lines);
  text += excluded_text(fit.excluded);
  for (const auto& warning : fit.warnings) text += "Note: " + warning + ".\n";
  for (const auto& sentence : compute_measure_next(fit.lines, most_sentences))
    text += "Measure next: " + sentence + ".\n";
  return text;
}

} // namespace ddlsim
