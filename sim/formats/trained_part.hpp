#pragma once
// What of a model a run trains, and how documents are packed: keys that scenarios and step records share.

#include <string>
#include <vector>

namespace ddlsim {

/// What of a model is trained. Either adapters of low rank beside frozen products, or all but some named parts.
struct TrainedPart {
  int lora_rank = 0;                  ///< rank of the adapters; 0: there are none
  std::vector<std::string> targets{}; ///< products with adapters, by words of lora_target_words(); empty: all of blocks
  std::vector<std::string> freeze{};  ///< parts that are frozen: "block3", "block" for all of them, "words"

  bool operator==(const TrainedPart&) const = default;
};

/// The words that name targets of adapters, our own and those of Hugging Face PEFT and Megatron.
const std::vector<std::string>& lora_target_words();

/// Returns a short text of what differs from training the whole model on whole sequences: "LoRA 16 on query, value,
/// documents of 512 tokens". "" where nothing differs; `document_tokens` is 0 for whole sequences.
std::string training_text(const TrainedPart& part, double document_tokens);

} // namespace ddlsim
