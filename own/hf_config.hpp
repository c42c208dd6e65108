#pragma once
// A config.json of Hugging Face Transformers -> the shape of its transformer, and its layer table.

#include "own/transformer.hpp"
#include "sim/base/json.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// What the config does not say.
struct HfOptions {
  std::string name;             ///< of the model; "": the config's file has none, so "model"
  long sequence = 0;            ///< tokens a sample; 0: not given, which only an image model may leave out
  long predicted_words = 0;     ///< positions that a head of masked tokens scores; 0: all, as Transformers does
  bool eager_attention = false; ///< attn_implementation="eager": scores are written to memory
};

struct ConfiguredModel {
  Model model;
  std::vector<std::string> notes; ///< what was assumed or left out; one sentence each
};

/// The families that are read: bert, gpt2, llama, mistral, mixtral, vit.
const std::vector<std::string>& hf_families();

/// Keys as in the configuration classes of huggingface/transformers (src/transformers/models/FAMILY). Throws UserError
/// with every mistake: not such a config, another family, a key that is missing or no size, heads that do not divide.
ConfiguredModel import_hf_config(const std::filesystem::path& file, const HfOptions& options);

// How each family of Hugging Face Transformers calls its sizes, and what it leaves to its class's defaults.

inline constexpr long most_hf_size = 100'000'000; ///< of any size in a config: beyond it is a slip of the keyboard

/// The shape that the config says, `tokens` left open for all but images. Notes mistakes at their keys, and adds what
/// was assumed.
TransformerShape hf_shape(const JsonNode& root, std::vector<std::string>& notes);

} // namespace ddlsim
