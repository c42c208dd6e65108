#pragma once
// Turns a config.json of Hugging Face Transformers into the shape of its transformer and a layer table.

#include "own/transformer.hpp"
#include "sim/base/json.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// Choices that the config does not state.
struct HfOptions {
  std::string name;         ///< name of the model; "": "model", because the config has no name
  long sequence = 0;        ///< tokens per sample; 0: not given, which only an image model allows
  long predicted_words = 0; ///< number of positions that the head for masked tokens scores; 0: all, as in Transformers
  bool eager_attention = false; ///< whether scores are written to memory, as with attn_implementation="eager"
};

struct ConfiguredModel {
  Model model;
  std::vector<std::string> notes; ///< sentences on what was assumed or left out
};

/// Returns the model types that can be read: bert, gpt2, vit, and the rows of hf_family_rows().
const std::vector<std::string>& hf_families();

/// Reads a config. Its keys are those of the configuration classes of huggingface/transformers
/// (src/transformers/models/FAMILY). Throws UserError that lists every mistake: the file is no such config, or of
/// another family; a key is missing or no size; heads do not divide the width.
ConfiguredModel import_hf_config(const std::filesystem::path& file, const HfOptions& options);

// The names of sizes in each family of Hugging Face Transformers, and the defaults of its class.

/// largest size of any kind in a config; a larger one is a typing error
inline constexpr long most_hf_size = 100'000'000;

/// Returns the shape in the config; `tokens` stays open except for images. Adds mistakes at their keys, and notes on
/// assumptions.
TransformerShape hf_shape(const JsonNode& root, std::vector<std::string>& notes);

} // namespace ddlsim
