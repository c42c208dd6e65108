#pragma once
// How each family of Hugging Face Transformers calls its sizes, and what it leaves to its class's defaults.

#include "own/transformer.hpp"
#include "sim/base/json.hpp"

#include <string>
#include <vector>

namespace ddlsim {

inline constexpr long most_hf_size = 100'000'000; ///< of any size in a config: beyond it is a slip of the keyboard

/// The shape that the config says, `tokens` left open for all but images. Notes mistakes at their keys, and adds what
/// was assumed.
TransformerShape hf_shape(const JsonNode& root, std::vector<std::string>& notes);

} // namespace ddlsim
