// Step times in the lines that training programs print: Megatron-LM, tf_cnn_benchmarks, Keras, PyTorch's ImageNet example
// and what copies it under torchrun, and progress bars of Lightning (tqdm). One step record a file: the median over the
// lines of one form.
#include "calibrate/import/csv_row.hpp"
#include "calibrate/import/importers.hpp"
#include "calibrate/import/plain_text.hpp"
#include "sim/base/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ddlsim {
namespace {

constexpr double ms_per_second = 1000;
constexpr std::size_t warm_up = 10; ///< of so many lines the first is left out: kernels are chosen, caches fill

/// A line's figure: seconds of a step, or samples a second of all GPUs together.
struct StepLine {
  double value = 0;
  bool is_rate = false;
};

/// The number that begins right after `key` and ends where digits do; blanks before it are passed over.
std::optional<double> number_after(const std::string& line, const std::string& key) {
  auto at = line.find(key);
  if (at == std::string::npos) return {};
  at = line.find_first_not_of(" \t", at + key.size());
  if (at == std::string::npos) return {};
  const auto end = line.find_first_not_of("0123456789.eE+-", at);
  const auto number = parse_number(std::string_view(line).substr(at, end == std::string::npos ? end : end - at));
  return number && number->value > 0 ? std::optional(number->value) : std::nullopt;
}

/// The number that ends right before `unit`: 61 of "12s 61ms/step".
std::optional<double> number_before(const std::string& line, const std::string& unit) {
  const auto end = line.find(unit);
  if (end == std::string::npos || end == 0) return {};
  const auto begin = line.find_last_not_of("0123456789.", end - 1);
  const auto from = begin == std::string::npos ? 0 : begin + 1;
  const auto number = parse_number(std::string_view(line).substr(from, end - from));
  return number && number->value > 0 ? std::optional(number->value) : std::nullopt;
}

std::optional<StepLine> seconds(std::optional<double> value, double per_second) {
  return value ? std::optional(StepLine{*value / per_second, false}) : std::nullopt;
}

std::optional<StepLine> megatron(const std::string& line) {
  return seconds(number_after(line, "elapsed time per iteration (ms):"), ms_per_second);
}

/// "50\timages/sec: 700.1 +/- 0.5 (jitter = 2.0)\t7.1"; the total of the end is the mean of those.
std::optional<StepLine> tf_cnn_benchmarks(const std::string& line) {
  if (line.find("total images/sec") != std::string::npos) return {};
  const auto rate = number_after(line, "images/sec:");
  return rate ? std::optional(StepLine{*rate, true}) : std::nullopt;
}

std::optional<StepLine> keras(const std::string& line) {
  if (const auto ms = number_before(line, "ms/step")) return seconds(ms, ms_per_second);
  if (const auto us = number_before(line, "us/step")) return seconds(us, 1e6);
  return seconds(number_before(line, "s/step"), 1);
}

/// "Epoch: [0][ 10/5005]\tTime  0.321 ( 0.512)\tData ...": the first is this step's, the second the mean so far.
std::optional<StepLine> pytorch_example(const std::string& line) {
  return line.find("Epoch: [") == std::string::npos ? std::nullopt : seconds(number_after(line, "Time"), 1);
}

/// "Epoch 0: 100%|####| 938/938 [00:12<00:00, 75.03it/s]": the mean of the last steps.
std::optional<StepLine> progress_bar(const std::string& line) {
  if (line.find("%|") == std::string::npos) return {};
  if (const auto rate = number_before(line, "it/s")) return StepLine{1 / *rate, false};
  return seconds(number_before(line, "s/it"), 1);
}

struct StepForm {
  const char* name;
  std::optional<StepLine> (*read)(const std::string& line);
};

const std::vector<StepForm>& step_forms() {
  static const std::vector<StepForm> forms{{"Megatron-LM", megatron},
                                           {"tf_cnn_benchmarks", tf_cnn_benchmarks},
                                           {"Keras", keras},
                                           {"PyTorch's ImageNet example", pytorch_example},
                                           {"a progress bar", progress_bar}};
  return forms;
}

struct StepLog {
  std::string form;
  std::vector<StepLine> lines;
  int first_line = 0;
  double global_batch = 0; ///< as the log says it; 0: not said
  double batch_per_gpu = 0;
};

StepLog read_step_log(const std::vector<std::string>& lines) {
  StepLog log;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto batch = number_after(lines[i], "global batch size:")) log.global_batch = *batch; // Megatron-LM
    if (const auto batch = number_before(lines[i], " per device")) log.batch_per_gpu = *batch;      // tf_cnn_benchmarks
    for (const auto& form : step_forms()) {
      if (!log.form.empty() && log.form != form.name) continue;
      const auto read = form.read(lines[i]);
      if (!read) continue;
      if (log.lines.empty()) log.first_line = static_cast<int>(i + 1);
      log.form = form.name;
      log.lines.push_back(*read);
      break;
    }
  }
  return log;
}

/// A carriage return ends a line of a progress bar: each of its states is one.
std::vector<double> steady_values(const StepLog& log, std::vector<std::string>& notes) {
  std::vector<double> values;
  const std::size_t skipped = log.lines.size() / warm_up;
  for (std::size_t i = skipped; i < log.lines.size(); ++i) values.push_back(log.lines[i].value);
  notes.push_back(fmt::format("{} lines of {} were read{}; their median was taken", log.lines.size(), log.form,
                              skipped == 0 ? "" : fmt::format(", the first {} left out as warm-up", skipped)));
  return values;
}

double median_of_values(std::vector<double> values) {
  const auto middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Percent of the mean; 0 for one value.
double spread_percent_of(const std::vector<double>& values) {
  double mean = 0;
  double squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return values.size() < 2 ? 0 : percent * std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean;
}

void check_names(const ImportContext& stated, std::vector<Mistake>& mistakes) {
  const auto& known = rate_columns();
  for (const auto& [name, value] : stated.given)
    if (std::find(known.begin(), known.end(), name) == known.end())
      mistakes.push_back({"--set", name, unknown_name_text("value of a step", name, known, known)});
}

/// What the log says of itself, unless the command line says otherwise.
RateCells cells_of_log(const StepLog& log, const ImportContext& stated) {
  RateCells cells(stated.given.begin(), stated.given.end());
  if (log.batch_per_gpu > 0) cells.emplace("batch_per_gpu", fmt::format("{}", log.batch_per_gpu));
  const auto gpus = cells.find("gpus");
  if (log.global_batch == 0 || gpus == cells.end()) return cells;
  if (const auto count = parse_number(gpus->second); count && count->value > 0)
    cells.emplace("batch_per_gpu", fmt::format("{}", log.global_batch / count->value));
  return cells;
}

} // namespace

Imported import_steps(const std::filesystem::path& file, const ImportContext& stated) {
  std::vector<Mistake> mistakes;
  Imported imported;
  const auto log = read_step_log(split_lines(read_utf8_file(file)));
  if (log.lines.empty()) {
    std::string forms;
    for (const auto& form : step_forms()) forms += fmt::format("{}{}", forms.empty() ? "" : ", ", form.name);
    throw UserError(file.string(), "", fmt::format("found no line with a step's time, expected one as of {}", forms));
  }
  auto context = stated;
  fill_from_cluster(context);
  check_names(context, mistakes);
  auto& out = imported.measurements;
  out.file = file;
  out.context = context_record(context, file, mistakes);
  const auto values = steady_values(log, imported.notes);
  auto cells = cells_of_log(log, context);
  for (const char* needed : {"model", "gpus", "batch_per_gpu"})
    if (cells.count(needed) == 0)
      mistakes.push_back({file.string(), needed, fmt::format("the log does not say it: give --set {}=VALUE", needed)});
  throw_mistakes(mistakes);
  const double median = median_of_values(values);
  if (log.lines.front().is_rate) cells.emplace("rate", fmt::format("{}", median));
  if (!log.lines.front().is_rate) cells.emplace("iteration_ms", fmt::format("{}", median * ms_per_second));
  cells.emplace("statistic", "median");
  cells.emplace("repeats", fmt::format("{}", values.size()));
  if (const double spread = spread_percent_of(values); spread > 0)
    cells.emplace("spread_percent", fmt::format("{}", spread));
  RowMistakes row(at_line(file, log.first_line), mistakes);
  auto record = step_record(cells, std::max(1, context.cluster_gpus_per_node), row);
  throw_mistakes(mistakes);
  record.head.file = file.string();
  record.head.line = log.first_line;
  record.head.gpu = out.context.gpu;
  out.records.emplace_back(record);
  return imported;
}

} // namespace ddlsim
