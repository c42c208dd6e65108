#include "import/run_facts.hpp"

#include "import/phrase_finder.hpp"
#include "import/plain_text.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

using Fact = RunFact;

constexpr auto stands_before = NumberIs::before_mark;
constexpr auto stands_after = NumberIs::after_mark;
constexpr const char* dotted = "....."; ///< lists of arguments: "seq_length ....... 4096"

/// From the programs' own print statements, as they are in 2026 and were before.
constexpr FactForm known_fact_forms[] = {
    {Fact::gpus, "using world size:"},                                       // Megatron-LM
    {Fact::gpus, "world_size", stands_after, dotted},                        // Megatron-LM, DeepSpeed
    {Fact::gpus, "World size:"},                                             // many
    {Fact::gpus, "Number of GPUs:"},                                         // Horovod's examples
    {Fact::gpus, "Total img/sec on"},                                        // the same
    {Fact::gpus, "Num processes:"},                                          // Accelerate
    {Fact::gpus, "Number of devices:"},                                      // TensorFlow's strategies
    {Fact::gpus, " processes", stands_before, "Starting with"},              // Lightning
    {Fact::global_batch, "global batch size"},                               // Megatron-LM, torchtitan
    {Fact::global_batch, "global_batch_size", stands_after, "", "consumed"}, // Megatron-LM's arguments, NeMo
    {Fact::global_batch, "train_batch_size", stands_after, dotted},          // DeepSpeed's arguments
    {Fact::global_batch, "distributed & accumulation) ="},                   // Hugging Face
    {Fact::global_batch, "Batch size:", stands_after, " global"},            // tf_cnn_benchmarks
    {Fact::global_batch, "bsz=", stands_after, "wps="},                      // fairseq
    {Fact::global_batch, "\"bsz\":", stands_after, "\"wps\""},               // fairseq's JSON
    {Fact::batch_per_gpu, " per device", stands_before},                     // tf_cnn_benchmarks
    {Fact::batch_per_gpu, "batch size per device ="},                        // Hugging Face
    {Fact::batch_per_gpu, "Batch size:", stands_after, "", " global"},       // Horovod's examples
    {Fact::batch_per_gpu, "micro_batch_size", stands_after, dotted},         // Megatron-LM's arguments
    {Fact::batch_per_gpu, "train_micro_batch_size_per_gpu"},                 // DeepSpeed
    {Fact::batch_per_gpu, "local batch size"},                               // torchtitan
    {Fact::accumulation, "Gradient Accumulation steps ="},                   // Hugging Face
    {Fact::accumulation, "gradient_accumulation_steps", stands_after, dotted},
    {Fact::data_parallel, "data-parallel size:"}, // Megatron-LM
    {Fact::sequence_length, "seq_length", stands_after, dotted},
    {Fact::sequence_length, "sequence length"}, // torchtitan
    {Fact::sequence_length, "block_size = "},   // nanoGPT
    {Fact::tokens_per_step, "tokens per iteration will be:"},
    {Fact::tokens_per_step, "total desired batch size:"}, // build-nanogpt, in tokens
    {Fact::samples_so_far, "consumed samples:"},
    {Fact::samples_so_far, "consumed_samples"}, // NeMo
    {Fact::samples_so_far, "time/sample:"},     // Composer
    {Fact::step, "iteration ", stands_after, "consumed samples"},
    {Fact::step, "global_step", stands_after, "consumed_samples"},
    {Fact::step, "time/batch:"},
    {Fact::step, "step ", stands_after, "iter time:"}, // LitGPT
    {Fact::microstep, "iter ", stands_after, "iter time:"},
    {Fact::total_samples_per_s, "total images/sec:"},
    {Fact::total_samples_per_s, "GPU(s):", stands_after, "Total img/sec"},
    {Fact::total_samples_per_s, "CPU(s):", stands_after, "Total img/sec"},
    {Fact::run_s, "train_runtime", stands_after, "{"}, // Hugging Face
    {Fact::run_steps_per_s, "train_steps_per_second", stands_after, "{"},
    {Fact::run_samples_per_s, "train_samples_per_second", stands_after, "{"},
    {Fact::evaluation_s, "eval_runtime", stands_after, "{"},
    {Fact::run_steps, "Total optimization steps ="},
};

bool has_phrase(std::string_view line, const char* phrase) {
  return line.find(phrase) != std::string_view::npos;
}

/// Whether a word ends right before `begin`: "size" is no word of "world_size".
bool begins_inside_word(std::string_view line, std::size_t begin) {
  if (begin == 0) return false;
  const auto is_letter = [](char c) {
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return is_letter(line[begin - 1]) && is_letter(line[begin]);
}

int count_of(std::string_view line, std::string_view word) {
  int found = 0;
  for (auto at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) ++found;
  return found;
}

} // namespace

std::span<const FactForm> fact_forms() {
  return known_fact_forms;
}

void RunFacts::take(const FactForm& form, std::string_view line, std::size_t begin, std::size_t end, int number) {
  if (begins_inside_word(line, begin) || (*form.with != '\0' && !has_phrase(line, form.with))) return;
  if (*form.without != '\0' && has_phrase(line, form.without)) return;
  const auto value = form.number == stands_before ? number_ending_at(line, begin) : number_at(line, end);
  constexpr double most_that_is_meant = 1e18;
  const bool is_count = form.fact == Fact::samples_so_far || form.fact == Fact::step || form.fact == Fact::microstep;
  if (!value || *value > most_that_is_meant || (*value <= 0 && !is_count)) return;
  auto& said = said_[static_cast<std::size_t>(form.fact)];
  const bool starts_anew = is_count && said.last && *value < said.last->value;
  if (!said.first || starts_anew) said.first = StatedFact{*value, number};
  said.changed = said.changed || *value != said.first->value;
  said.last = StatedFact{*value, number};
  said.sum += *value;
}

void RunFacts::take_words(std::string_view line, int number) {
  const auto after = [&](std::string_view phrase) { return std::string(trim(line.substr(phrase.size()))); };
  if (line.starts_with("Model:")) model = after("Model:");
  if (has_phrase(line, "CUDA capacity: ")) { // torchtitan
    const auto name = line.substr(line.find("CUDA capacity: ") + std::string_view("CUDA capacity: ").size());
    gpu = std::string(name.substr(0, name.find(" with ")));
  }
  if (line.starts_with("Variables:") && has_phrase(line, "horovod")) one_gpu_a_rank = true;
  if (has_phrase(line, "kv_store='dist") || has_phrase(line, "kvstore='dist")) workers_on_hosts = true;
  if (!line.starts_with("Devices:")) return;
  const auto devices = count_of(line, "gpu:") + count_of(line, "GPU:");
  auto& said = said_[static_cast<std::size_t>(Fact::devices_of_rank)];
  if (devices > 0) said.first = said.last = StatedFact{static_cast<double>(devices), number};
}

void RunFacts::count_anew() {
  for (const auto fact : {Fact::samples_so_far, Fact::step, Fact::microstep}) {
    auto& said = said_[static_cast<std::size_t>(fact)];
    said.first = said.last;
  }
}

/// Both counts must have grown together since they began.
double RunFacts::slope(RunFact of_what, RunFact over) const {
  const auto& count = of(of_what);
  const auto& steps = of(over);
  if (!count.first || !steps.first) return 0;
  const double grew = count.last->value - count.first->value;
  const double passed = steps.last->value - steps.first->value;
  return grew > 0 && passed > 0 ? grew / passed : 0;
}

double RunFacts::samples_a_step() const {
  return slope(Fact::samples_so_far, Fact::step);
}

double RunFacts::microsteps_a_step() const {
  return std::max(1.0, slope(Fact::microstep, Fact::step));
}

} // namespace ddlsim
