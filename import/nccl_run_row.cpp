// Reads rows of nccl-tests and rccl-tests. The header names the columns, so one reader serves every layout since 2016:
//   NCCL 1 era:  bytes N type op time algbw busbw res, twice; times in milliseconds
//   2018..2021:  size count type [redop] [root] time algbw busbw error, twice
//   since 2022:  size count type redop root time algbw busbw #wrong [i_min i_max i_p99 i_cv%], twice, [timestamp]
// Layouts: NVIDIA/nccl-tests src/common.cu and src/util.cu, ROCm/rccl-tests src/common.cu.
#include "import/nccl_run.hpp"
#include "sim/formats/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr const char* redop_column = "redop";

bool is_whole(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), is_digit);
}

/// Whether the word is a name such as "float", "bfloat16", "f8e4m3" or "sum".
bool is_name(std::string_view word) {
  const auto is_letter = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  };
  return !word.empty() && is_letter(word.front()) && std::all_of(word.begin(), word.end(), [&](char letter) {
    return is_letter(letter) || is_digit(letter) || letter == '_';
  });
}

bool fits_column(const std::string& column, std::string_view word) {
  if (column == "size" || column == "count") return is_whole(word);
  if (column == "type" || column == redop_column) return is_name(word);
  if (column == "timestamp") return is_digit(word.front());
  if (word == "N/A") return true;
  if (word.ends_with('*')) word.remove_suffix(1); // the star marks a deviation that is too large
  return parse_number(word).has_value();
}

/// Whether the cell reports wrong values. Since 2022 it is a count of wrong elements. Before that it was the largest
/// deviation, marked * if it is too large.
bool is_wrong(const std::string& word) {
  const auto number = parse_number(word);
  return word.back() == '*' || (number && number->value >= 1 && number->value == std::floor(number->value));
}

/// Reads cells by column. The second `time` begins the in-place half.
class NcclRowReader {
public:
  NcclRowReader(double time_unit_us, bool in_place_only, std::string& bad)
      : time_unit_us_(time_unit_us), in_place_only_(in_place_only), bad_(bad) {}

  void read(const std::string& column, const std::string& word) {
    if (column == "type") row_.type = word;
    if (column == redop_column) row_.redop = word;
    if (column == "time")
      timing_ = &(in_place_only_ || row_.out_of_place ? row_.in_place : row_.out_of_place).emplace();
    if (column == "#wrong" && timing_ != nullptr) timing_->wrong = is_wrong(word);
    if (column == "size" || column == "root" || column == "time" || column == "algbw" || column == "busbw" ||
        column == "i_cv%")
      read_number(column, word);
  }

  const NcclRow& row() const { return row_; }

private:
  void read_number(const std::string& column, const std::string& word) {
    const auto number = parse_number(word);
    const bool fits = number && (column == "root" || number->value >= 0);
    if (!fits) {
      bad_ = fmt::format("{} in column {}, expected a number", in_quotes(word), column);
      return;
    }
    if (column == "i_cv%" && number->value > most_relative_spread * percent) {
      bad_ =
          fmt::format("{} in column {}, expected at most {}", in_quotes(word), column, most_relative_spread * percent);
      return;
    }
    if (column == "size") row_.size_bytes = number->value;
    if (column == "root") row_.root = static_cast<int>(std::clamp(number->value, -1.0, 1e9));
    if (timing_ == nullptr) return;
    if (column == "time") timing_->time_us = {number->value * time_unit_us_, number->half_step * time_unit_us_};
    if (column == "algbw") timing_->algbw_GBps = *number;
    if (column == "busbw") timing_->busbw_GBps = *number;
    if (column == "i_cv%") timing_->relative_spread = number->value / percent;
  }

  double time_unit_us_;
  bool in_place_only_;
  std::string& bad_;
  NcclRow row_;
  NcclTiming* timing_ = nullptr;
};

} // namespace

std::vector<std::string> nccl_columns(std::string_view header) {
  auto columns = split_words(header);
  for (auto& column : columns) {
    if (column == "bytes") column = "size";
    if (column == "N") column = "count";
    if (column == "op") column = redop_column;
    if (column == "error" || column == "res") column = "#wrong";
  }
  return columns;
}

bool is_nccl_header(const std::vector<std::string>& columns) {
  const auto has = [&](const char* name) { return std::find(columns.begin(), columns.end(), name) != columns.end(); };
  return !columns.empty() && columns[0] == "size" && has("type") && (has("time") || has("cputime")) && has("algbw") &&
         has("busbw");
}

std::size_t words_of_row(const std::vector<std::string>& columns) {
  return columns.size() + (columns.back() == "timestamp" ? 1 : 0);
}

bool fit_row(const std::vector<std::string>& columns, std::size_t before, const std::vector<std::string>& words) {
  if (before + words.size() > words_of_row(columns)) return false;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (!fits_column(columns[std::min(before + i, columns.size() - 1)], words[i])) return false;
  return true;
}

NcclRow read_nccl_row(const std::vector<std::string>& columns, const std::vector<std::string>& words,
                      double time_unit_us, bool in_place_only, std::string& bad) {
  NcclRowReader reader(time_unit_us, in_place_only, bad);
  for (std::size_t i = 0; i < columns.size(); ++i) reader.read(columns[i], words[i]);
  return reader.row();
}

} // namespace ddlsim
