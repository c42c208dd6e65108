#include "import/plain_text.hpp"
#include "import/seen_steps.hpp"
#include "sim/base/error.hpp"

#include <algorithm>
#include <charconv>

namespace ddlsim {
namespace {

constexpr double ms_in_a_second = 1000;
constexpr double us_in_a_second = 1e6;
constexpr double most_gpus_of_a_log = 10'000'000; ///< beyond any machine

/// A line's figure: seconds of a step, or samples a second of all GPUs together.
struct StepFigure {
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

std::optional<StepFigure> seconds(std::optional<double> value, double per_second) {
  return value ? std::optional(StepFigure{*value / per_second, false}) : std::nullopt;
}

std::optional<StepFigure> rate(std::optional<double> value) {
  return value ? std::optional(StepFigure{*value, true}) : std::nullopt;
}

std::optional<StepFigure> megatron(const std::string& line) {
  return seconds(number_after(line, "elapsed time per iteration (ms):"), ms_in_a_second);
}

/// "50\timages/sec: 700.1 +/- 0.5 (jitter = 2.0)\t7.1"; the total of the end is the mean of those.
std::optional<StepFigure> tf_cnn_benchmarks(const std::string& line) {
  if (line.find("total images/sec") != std::string::npos) return {};
  return rate(number_after(line, "images/sec:"));
}

/// "RunningAvgSamplesPerSec=26.3, CurrSamplesPerSec=26.5": of all GPUs, in the steps since the last line.
std::optional<StepFigure> deepspeed(const std::string& line) {
  return rate(number_after(line, "CurrSamplesPerSec="));
}

std::optional<StepFigure> keras(const std::string& line) {
  if (const auto ms = number_before(line, "ms/step")) return seconds(ms, ms_in_a_second);
  if (const auto us = number_before(line, "us/step")) return seconds(us, us_in_a_second);
  return seconds(number_before(line, "s/step"), 1);
}

/// "Epoch: [0][ 10/5005]\tTime  0.321 ( 0.512)\tData ...": the first is this step's, the second the mean so far.
std::optional<StepFigure> pytorch_example(const std::string& line) {
  return line.find("Epoch: [") == std::string::npos ? std::nullopt : seconds(number_after(line, "Time"), 1);
}

/// tqdm's bar has "%|", Lightning's other one a row of heavy lines.
std::size_t bar_of(const std::string& line) {
  return std::min(line.find("%|"), line.find("\u2501"));
}

/// "Epoch 0: 100%|####| 938/938 [00:12<00:00, 75.03it/s]": the mean of the last steps.
std::optional<StepFigure> progress_bar(const std::string& line) {
  if (bar_of(line) == std::string::npos) return {};
  if (const auto per_second = number_before(line, "it/s")) return StepFigure{1 / *per_second, false};
  return seconds(number_before(line, "s/it"), 1);
}

/// Is the bar one of other work than training?
bool is_other_work(const std::string& line) {
  static const std::vector<std::string> others{"valid", "sanity", "test",  "predict", "eval",  "download", "map",
                                               "load",  "token",  "shard", "filter",  "fetch", "extract"};
  const auto title = lower_case(line.substr(0, std::min(line.size(), bar_of(line))));
  return bar_of(line) != std::string::npos && std::any_of(others.begin(), others.end(), [&](const std::string& other) {
           return title.find(other) != std::string::npos;
         });
}

struct StepForm {
  const char* name;
  std::optional<StepFigure> (*read)(const std::string& line);
};

const std::vector<StepForm>& step_forms() {
  static const std::vector<StepForm> forms{{"Megatron-LM", megatron},
                                           {"tf_cnn_benchmarks", tf_cnn_benchmarks},
                                           {"DeepSpeed", deepspeed},
                                           {"Keras", keras},
                                           {"PyTorch's ImageNet example", pytorch_example},
                                           {"a progress bar (Lightning, tqdm)", progress_bar}};
  return forms;
}

/// The digits that `text` ends with, as a number; -1 for none.
int number_at_end(std::string_view text) {
  auto from = text.size();
  while (from > 0 && is_digit(text[from - 1])) --from;
  int value = -1;
  std::from_chars(text.data() + from, text.data() + text.size(), value);
  return value;
}

/// The rank that torchrun ("[rank3]: ", "[default3]:"), mpirun ("[1,3]<stdout>:") or srun -l ("3: ") put before a line;
/// -1 for none.
int rank_of(std::string_view line) {
  line = trim(line);
  if (line.starts_with('[')) {
    const auto close = line.find(']');
    if (close == std::string_view::npos) return -1;
    const auto inner = line.substr(1, close - 1);
    const auto after = line.substr(close + 1);
    const bool by_mpirun = inner.find(',') != std::string_view::npos && after.starts_with("<std");
    bool by_torchrun = false;
    for (const char* role : {"rank", "default", "trainer", "worker"})
      by_torchrun = by_torchrun || (inner.starts_with(role) && after.starts_with(':'));
    return by_mpirun || by_torchrun ? number_at_end(inner) : -1;
  }
  const auto colon = line.find(": ");
  const auto label = line.substr(0, colon);
  const bool by_srun = colon != std::string_view::npos && !label.empty() &&
                       std::all_of(label.begin(), label.end(), [](char letter) { return is_digit(letter); });
  return by_srun ? number_at_end(label) : -1;
}

int gpus_said(double count) {
  return count >= 1 && count <= most_gpus_of_a_log ? static_cast<int>(count) : 0;
}

/// What a log says of the run beside its steps.
void read_run(const std::string& line, StepLines& log) {
  if (const auto batch = number_after(line, "global batch size:")) log.global_batch = *batch; // Megatron-LM
  if (const auto size = number_after(line, "using world size:")) log.gpus = gpus_said(*size); // Megatron-LM
  if (const auto batch = number_before(line, " per device")) log.batch_per_gpu = *batch;      // tf_cnn
  if (line.find("Batch size:") == std::string::npos) return;
  if (const auto batch = number_before(line, " global")) log.global_batch = *batch; // tf_cnn_benchmarks
}

} // namespace

StepLines read_step_lines(const std::vector<std::string>& lines) {
  StepLines log;
  int kept_rank = -1;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    read_run(lines[i], log);
    for (const auto& form : step_forms()) {
      if (!log.form.empty() && log.form != form.name) continue;
      const auto read = form.read(lines[i]);
      if (!read) continue;
      if (is_other_work(lines[i])) {
        ++log.of_other_work;
        break;
      }
      if (log.values.empty()) {
        log.form = form.name;
        log.first_line = static_cast<int>(i + 1);
        log.are_rates = read->is_rate;
        kept_rank = rank_of(lines[i]);
      }
      if (rank_of(lines[i]) == kept_rank) log.values.push_back(read->value);
      if (rank_of(lines[i]) != kept_rank) ++log.of_other_ranks;
      break;
    }
  }
  if (log.gpus == 0 && log.global_batch > 0 && log.batch_per_gpu > 0)
    log.gpus = gpus_said(log.global_batch / log.batch_per_gpu);
  return log;
}

std::string step_form_names() {
  std::vector<std::string> names;
  for (const auto& form : step_forms()) names.emplace_back(form.name);
  return join_names(names);
}

} // namespace ddlsim
