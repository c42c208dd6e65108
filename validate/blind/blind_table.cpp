#include "sim/base/escape.hpp"
#include "sim/base/statistics.hpp"
#include "validate/blind/blind_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// The files of one source that were predicted together, which make one row.
using Together = std::vector<const BlindEntry*>;

bool belong_together(const BlindEntry& a, const BlindEntry& b) {
  return a.date == b.date && a.commit == b.commit && a.source == b.source && a.score.kind == b.score.kind &&
         a.score.known == b.score.known && a.form_in_sight == b.form_in_sight;
}

std::vector<Together> rows_of(const std::vector<BlindEntry>& log) {
  std::vector<Together> rows;
  for (const auto& entry : log) {
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](const Together& row) { return belong_together(*row.front(), entry); });
    if (found == rows.end()) {
      rows.push_back({&entry});
    } else {
      found->push_back(&entry);
    }
  }
  return rows;
}

double mean_of(const Together& row, double BlindScore::*figure) {
  std::vector<double> values;
  for (const auto* entry : row) values.push_back(entry->score.*figure);
  return mean(values);
}

int sum_of(const Together& row, int BlindScore::*count) {
  int sum = 0;
  for (const auto* entry : row) sum += entry->score.*count;
  return sum;
}

/// The baselines that answered every point of every file.
std::string baselines_text(const Together& row) {
  std::vector<std::string> parts;
  for (const auto& [name, first] : row.front()->score.baselines) {
    std::vector<double> errors;
    for (const auto* entry : row)
      if (const auto found = entry->score.baselines.find(name); found != entry->score.baselines.end())
        errors.push_back(found->second);
    if (errors.size() == row.size()) parts.push_back(fmt::format("{} {:.0f}", name, 100 * mean(errors)));
  }
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string text_of(const Together& row) {
  const auto& entry = *row.front();
  const int refused = sum_of(row, &BlindScore::refused), points = sum_of(row, &BlindScore::points);
  const bool answered = refused < points;
  const auto percent = [&](const char* format, double BlindScore::*figure) {
    return answered ? fmt::format(fmt::runtime(format), 100 * mean_of(row, figure)) : "-";
  };
  return fmt::format("| {}{} | {} | {} | {} | {}{} | {} | {} | {} | {} | {} | {} |\n", entry.date,
                     entry.form_in_sight ? ", form chosen in sight" : "", markdown_cell(entry.source),
                     markdown_cell(entry.score.kind), to_text(entry.score.known), points,
                     refused > 0 ? fmt::format(", {} refused", refused) : "",
                     percent("{:.0f}", &BlindScore::mean_error), percent("{:.0f}", &BlindScore::median_error),
                     percent("{:+.0f}", &BlindScore::bias), percent("{:.0f} %", &BlindScore::held),
                     percent("{:.0f}", &BlindScore::half_width), markdown_cell(baselines_text(row)));
}

} // namespace

std::string blind_table(const std::vector<BlindEntry>& log) {
  std::string text = "| asked | source | what | known before | points | mean error, % | median | bias | held | "
                     "half-width, % | baseline, % |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& row : rows_of(log)) text += text_of(row);
  return text;
}

} // namespace ddlsim
