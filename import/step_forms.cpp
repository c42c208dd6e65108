#include "import/step_forms.hpp"

#include "import/phrase_finder.hpp"
#include "import/plain_text.hpp"
#include "sim/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ddlsim {
namespace {

using Unit = StepUnit;

constexpr double printed_ms = 1e-3; ///< a printed millisecond, in seconds
constexpr double printed_us = 1e-6;
constexpr auto is_before = NumberIs::before_mark;
constexpr auto is_after = NumberIs::after_mark;

/// The forms of step lines, taken from the programs' own print statements in 2026 and in earlier versions.
constexpr StepForm known_step_forms[] = {
    {"Megatron-LM", "elapsed time per iteration (ms):", Unit::seconds, printed_ms, is_after, "", "", Covers::steps,
     "megatron-lm"},
    {"Megatron-LM", "elapsed time per iteration (s):", Unit::seconds, 1, is_after, "", "", Covers::steps,
     "megatron-lm"},
    {"Megatron-DeepSpeed", "samples per second:", Unit::samples_per_s, 1, is_after, "elapsed time"},
    {"Megatron-DeepSpeed", "tokens per gpu per second (tgs):", Unit::tokens_per_s_of_gpu},
    {"GPT-NeoX", "samples/sec:", Unit::samples_per_s, 1, is_after, "elapsed time"},
    {"NeMo", "train_step_timing in s", Unit::seconds},
    {"torchtitan", "tps: ", Unit::tokens_per_s_of_gpu, 1, is_after, "mfu:"},
    {"torchtitan", "wps: ", Unit::tokens_per_s_of_gpu, 1, is_after, "mfu:"},
    {"MaxText", "seconds: ", Unit::seconds, 1, is_after, "completed step"},
    {"MaxText", "Tokens/s/device:", Unit::tokens_per_s_of_gpu, 1, is_after, "completed step"},
    {"nanoGPT", ", time ", Unit::seconds, printed_ms, is_after, "iter ", "", Covers::steps, "pytorch-ddp"},
    {"build-nanogpt and nanochat", "dt: ", Unit::seconds, printed_ms, is_after, "tok/sec"},
    {"build-nanogpt and nanochat", "tok/sec: ", Unit::tokens_per_s, 1, is_after, "dt: "},
    {"modded-nanogpt", "step_avg:", Unit::seconds, printed_ms, is_after, "train_time:", "", Covers::all_until_now},
    {"llm.c", " ms |", Unit::seconds, printed_ms, is_before, "tok/s"},
    {"llm.c", " ms, ", Unit::seconds, printed_ms, is_before, "tok/s)"},
    {"llm.c", " tok/s", Unit::tokens_per_s, 1, is_before, " ms"},
    {"LitGPT", "iter time: ", Unit::seconds, printed_ms, is_after, "", "", Covers::micro_step},
    {"Composer", "throughput/samples_per_sec", Unit::samples_per_s},
    {"Composer", "throughput/batches_per_sec", Unit::steps_per_s},
    {"Composer", "throughput/device/samples_per_sec", Unit::samples_per_s_of_gpu},
    {"fairseq", "ups=", Unit::steps_per_s, 1, is_after, "wps="},
    {"fairseq", "\"ups\": ", Unit::steps_per_s, 1, is_after, "\"wps\""},
    {"fairseq", "| ups ", Unit::steps_per_s, 1, is_after, "| wps "},
    {"DeepSpeed", "iter time (s): ", Unit::seconds, 1, is_after, "samples/sec", "", Covers::steps, "deepspeed"},
    {"DeepSpeed", "samples/sec: ", Unit::samples_per_s, 1, is_after, "iter time (s)"},
    {"DeepSpeed", "CurrSamplesPerSec=", Unit::samples_per_s, 1, is_after, "", "", Covers::part_of_step, "deepspeed"},
    {"DeepSpeed", ", SamplesPerSec=", Unit::samples_per_s, 1, is_after, "", "", Covers::part_of_step, "deepspeed"},
    {"Horovod's synthetic benchmark", "img/sec per GPU", Unit::samples_per_s_of_gpu, 1, is_before, "Iter #", "",
     Covers::steps, "horovod"},
    {"Horovod's synthetic benchmark", "img/sec per CPU", Unit::samples_per_s_of_gpu, 1, is_before, "Iter #", "",
     Covers::steps, "horovod"},
    {"tf_cnn_benchmarks", "images/sec:", Unit::samples_per_s_of_rank, 1, is_after, "", "total images/sec",
     Covers::all_until_now},
    {"MXNet's Speedometer", "Speed: ", Unit::samples_per_s_of_rank, 1, is_after, "samples/sec"},
    {"PaddlePaddle", "batch_cost: ", Unit::seconds, 1, is_after, "", "[Eval]"},
    {"PaddlePaddle", " ips: ", Unit::samples_per_s_of_gpu, 1, is_after, "batch_cost: ", "[Eval]"},
    {"PaddlePaddle", "interval_steps_per_second: ", Unit::steps_per_s},
    {"NVIDIA's examples", "train.total_ips", Unit::samples_per_s},
    {"NVIDIA's examples", "training_sequences_per_second", Unit::samples_per_s},
    {"TensorFlow's official models", " examples/second between steps", Unit::samples_per_s, 1, is_before},
    {"TensorFlow's official models", "steps/sec: ", Unit::steps_per_s, 1, is_after, "train |"},
    {"TensorFlow's estimators", "global_step/sec: ", Unit::steps_per_s},
    {"TensorFlow's estimators", " sec/step)", Unit::seconds, 1, is_before},
    {"Keras", "ms/step", Unit::seconds, printed_ms, is_before},
    {"Keras", "us/step", Unit::seconds, printed_us, is_before},
    {"Keras", "s/step", Unit::seconds, 1, is_before},
    {"PyTorch's ImageNet example", "Time ", Unit::seconds, 1, is_after, "Epoch: ["},
    {"NVIDIA's ImageNet example", "Speed ", Unit::samples_per_s, 1, is_after, "Epoch: [", "samples/s"},
    {"InsightFace", "Speed ", Unit::samples_per_s, 1, is_after, "Global Step:"},
    {"timm", "Time: ", Unit::seconds, 1, is_after, "Train: "},
    {"timm", "/s  (", Unit::samples_per_s, 1, is_before, "Train: "},
    {"MMEngine", " time: ", Unit::seconds, 1, is_after, "(train)"},
    {"MMCV", " time: ", Unit::seconds, 1, is_after, "Epoch [", "(val)"},
    {"MMCV", " time: ", Unit::seconds, 1, is_after, "Iter [", "(val)"},
    {"detectron2", " time: ", Unit::seconds, 1, is_after, " iter: "},
    {"DeiT's logger", " time: ", Unit::seconds, 1, is_after, "Epoch: ["},
    {"Swin", "\ttime ", Unit::seconds, 1, is_after, "Train: ["},
    {"PyTorch's word language model", "ms/batch ", Unit::seconds, printed_ms, is_after, "| epoch"},
};

/// A unit that is printed right after the number. It replaces that of the form, as in "1.2s" where milliseconds are
/// usual.
struct Suffix {
  std::string_view text;
  double in_si = 1;
  bool of_time = true;
};

constexpr Suffix suffixes[] = {{"ms", printed_ms}, {"us", printed_us}, {"s", 1},         {"k", 1e3, false},
                               {"K", 1e3, false},  {"M", 1e6, false},  {"B", 1e9, false}};

/// Returns the SI value of one unit of the printed figure.
double si_of(const StepForm& form, std::string_view behind) {
  const bool is_time = form.unit == Unit::seconds || form.unit == Unit::seconds_of_sample;
  for (const auto& suffix : suffixes) {
    if (suffix.of_time != is_time || !behind.starts_with(suffix.text)) continue;
    const auto next = behind.substr(suffix.text.size());
    const bool ends_word = next.empty() || !((next[0] >= 'a' && next[0] <= 'z') || (next[0] >= 'A' && next[0] <= 'Z'));
    if (ends_word) return suffix.in_si;
  }
  return form.in_si;
}

bool contains(std::string_view line, const char* phrase) {
  return line.find(phrase) != std::string_view::npos;
}

} // namespace

std::string to_text(StepUnit unit) {
  switch (unit) {
  case Unit::seconds:
    return "seconds a step";
  case Unit::steps_per_s:
    return "steps/s";
  case Unit::samples_per_s:
    return "samples/s of all GPUs";
  case Unit::samples_per_s_of_gpu:
    return "samples/s of one GPU";
  case Unit::samples_per_s_of_rank:
    return "samples/s of one process";
  case Unit::tokens_per_s:
    return "tokens/s of all GPUs";
  case Unit::tokens_per_s_of_gpu:
    return "tokens/s of one GPU";
  case Unit::seconds_of_sample:
    return "seconds a sample of one process";
  }
  return "";
}

std::span<const StepForm> step_forms() {
  return known_step_forms;
}

std::optional<PrintedNumber> figure_of(const StepForm& form, std::string_view line, std::size_t begin,
                                       std::size_t end) {
  const bool is_wanted =
      (*form.with == '\0' || contains(line, form.with)) && (*form.without == '\0' || !contains(line, form.without));
  if (!is_wanted) return std::nullopt;
  const auto number = form.number == is_before ? printed_before(line, begin) : printed_at(line, end);
  if (!number || number->value <= 0) return std::nullopt;
  const double in_si = form.number == is_before ? form.in_si : si_of(form, behind_number(line, end));
  const PrintedNumber figure{number->value * in_si, number->half_step * in_si};
  return std::isfinite(figure.value) && figure.value > 0 ? std::optional(figure) : std::nullopt;
}

std::string step_program_names() {
  std::vector<std::string> names;
  for (const auto& form : step_forms())
    if (std::find(names.begin(), names.end(), form.program) == names.end()) names.emplace_back(form.program);
  names.emplace_back("a progress bar (Hugging Face Trainer, Accelerate, Lightning, tqdm)");
  return join_names(names);
}

} // namespace ddlsim
