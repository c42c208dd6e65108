#include "sim/formats/trained_part.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/record.hpp"
#include "sim/formats/trained_part_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ddlsim {
namespace {

constexpr long most_rank = 65'536;

void check_trained_part(const JsonNode& node, TrainedPart& part) {
  if (part.lora_rank == 0 && part.freeze.empty() && part.targets.empty())
    node.mistake("nothing says what is trained; give \"lora_rank\" or \"freeze\", or leave \"train\" out");
  if (part.lora_rank > 0 && !part.freeze.empty())
    node.mistake_at("freeze", "all weights beside adapters are frozen; leave it out, or leave \"lora_rank\" out");
  if (part.lora_rank == 0 && !part.targets.empty())
    node.mistake_at("targets", "only adapters have targets; leave it out, or give \"lora_rank\"");
}

FieldTable<TrainedPart> trained_part_fields() {
  const auto names = distinct(list_type(text_type(), 1));
  return {{optional("lora_rank", &TrainedPart::lora_rank, whole_type(1, most_rank),
                    "rank of adapters beside frozen products (LoRA), which alone are trained"),
           optional("targets", &TrainedPart::targets, distinct(list_type(word_type(lora_target_words()), 1)),
                    "products with adapters; every product of the blocks if not given"),
           optional("freeze", &TrainedPart::freeze, names,
                    "parts that are not trained, by the first word of their layers: \"block0\"; \"block\" for all "
                    "blocks")},
          check_trained_part};
}

} // namespace

const std::vector<std::string>& lora_target_words() {
  static const std::vector<std::string> words{"query",      "key",         "value",      "output",    "gate",
                                              "up",         "down",        "all-linear", "q_proj",    "k_proj",
                                              "v_proj",     "o_proj",      "gate_proj",  "up_proj",   "down_proj",
                                              "linear_qkv", "linear_proj", "linear_fc1", "linear_fc2"};
  return words;
}

std::string training_text(const TrainedPart& part, double document_tokens) {
  std::vector<std::string> parts;
  if (part.lora_rank > 0)
    parts.push_back(
        fmt::format("LoRA {} on {}", part.lora_rank,
                    part.targets.empty() ? "all products" : fmt::format("{}", fmt::join(part.targets, ", "))));
  if (!part.freeze.empty()) parts.push_back(fmt::format("frozen {}", fmt::join(part.freeze, ", ")));
  if (document_tokens > 0) parts.push_back(fmt::format("documents of {:g} tokens", document_tokens));
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool trains_whole_model(const StepRecord& record) {
  return record.mode == RunMode::train && training_text(record.train, record.document_tokens).empty();
}

ValueType<TrainedPart> trained_part_type() {
  return object_type(trained_part_fields());
}

ValueType<double> document_tokens_type() {
  return positive_type();
}

} // namespace ddlsim
