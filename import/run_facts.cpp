#include "import/run_facts.hpp"

#include "import/phrase_finder.hpp"
#include "import/plain_text.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

using Fact = RunFact;

bool has_phrase(std::string_view line, std::string_view phrase) {
  return line.find(phrase) != std::string_view::npos;
}

/// Whether the phrase begins inside a word, as "size" does in "world_size".
bool begins_inside_word(std::string_view line, std::size_t begin) {
  if (begin == 0) return false;
  const auto is_letter = [](char c) {
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return is_letter(line[begin - 1]) && is_letter(line[begin]);
}

} // namespace

void GrowthPerStep::take_step(double step) {
  if (step_ && step < *step_) first_ = last_ = std::nullopt; // the count restarted
  is_new_step_ = is_new_step_ || !step_ || step != *step_;
  step_ = step;
  take_place();
}

void GrowthPerStep::take_count(double count) {
  is_new_count_ = is_new_count_ || !count_ || count != *count_;
  count_ = count;
  take_place();
}

void GrowthPerStep::take_place() {
  if (!is_new_step_ || !is_new_count_) return;
  is_new_step_ = is_new_count_ = false;
  last_ = Place{*step_, *count_};
  if (!first_) first_ = last_;
}

double GrowthPerStep::slope() const {
  if (!first_ || last_->step <= first_->step || last_->count <= first_->count) return 0;
  return (last_->count - first_->count) / (last_->step - first_->step);
}

void RunFacts::state(RunFact fact, double value, int number) {
  auto& stated = statements_[static_cast<std::size_t>(fact)];
  if (!stated.first) stated.first = StatedFact{value, number};
  stated.last = StatedFact{value, number};
  stated.sum += value;
  ++stated.times;
}

void RunFacts::take(const FactForm& form, std::string_view line, std::size_t begin, std::size_t end, int number) {
  if (begins_inside_word(line, begin) || (*form.with != '\0' && !has_phrase(line, form.with))) return;
  if (*form.without != '\0' && has_phrase(line, form.without)) return;
  const auto value = form.read != nullptr                   ? form.read(line.substr(end))
                     : form.number == NumberIs::before_mark ? number_ending_at(line, begin)
                                                            : number_at(line, end);
  constexpr double most_that_is_meant = 1e18;
  const bool is_count = form.fact == Fact::samples_so_far || form.fact == Fact::step || form.fact == Fact::microstep;
  if (!value || *value > most_that_is_meant || (*value <= 0 && !is_count)) return;
  if (form.fact == Fact::run_begins) clear_run();
  if (form.fact == Fact::evaluation_s && last(Fact::run_s)) return; // this is an evaluation after the training
  if (form.fact == Fact::samples_so_far) samples_.take_count(*value);
  if (form.fact == Fact::microstep) microsteps_.take_count(*value);
  if (form.fact == Fact::step) samples_.take_step(*value);
  if (form.fact == Fact::step) microsteps_.take_step(*value);
  state(form.fact, *value, number);
}

void RunFacts::take(const WordForm& form, std::string_view line, int number) {
  if (*form.with != '\0' && !has_phrase(line, form.with)) return;
  auto& stated = words_[static_cast<std::size_t>(form.word)];
  if (stated.value.empty()) stated = {form.value, number, false};
  stated.is_disputed = stated.is_disputed || stated.value != form.value;
}

void RunFacts::clear_run() {
  for (const auto fact : {Fact::run_s, Fact::run_steps_per_s, Fact::run_samples_per_s, Fact::evaluation_s,
                          Fact::first_step, Fact::epochs_done, Fact::epoch_samples})
    statements_[static_cast<std::size_t>(fact)] = {};
}

void RunFacts::take_names(std::string_view line, int number) {
  // printed by tf_cnn_benchmarks and Horovod; Keras' summaries have quotes
  constexpr std::string_view of_model = "Model:";
  constexpr std::string_view of_gpu = "CUDA capacity: "; // printed by torchtitan
  const auto text = trim(line);
  const auto name = text.starts_with(of_model) ? trim(text.substr(of_model.size())) : std::string_view{};
  if (!name.empty() && name.find_first_of(" \t\"'(") == std::string_view::npos) {
    if (!model.value.empty() && name != model.value) other_model = model;
    model = {std::string(name), number, false};
  }
  if (const auto at = line.find(of_gpu); at != std::string_view::npos) {
    const auto stated = line.substr(at + of_gpu.size());
    gpu = std::string(stated.substr(0, stated.find(" with ")));
  }
}

void RunFacts::settle_batch() {
  if (const auto batch = last(Fact::batch_of_whom)) state(Fact::batch_per_gpu, batch->value, batch->line);
}

void RunFacts::count_anew() {
  samples_ = {};
  microsteps_ = {};
}

double RunFacts::mean(RunFact fact) const {
  const auto& stated = of(fact);
  return stated.times == 0 ? 0 : stated.sum / static_cast<double>(stated.times);
}

double RunFacts::microsteps_a_step() const {
  return std::max(1.0, microsteps_.slope());
}

} // namespace ddlsim
