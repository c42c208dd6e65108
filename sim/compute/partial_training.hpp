#pragma once
// A model of which a part is trained: adapters beside frozen products, or all but some parts.

#include "sim/formats/model.hpp"
#include "sim/formats/trained_part.hpp"

#include <string>

namespace ddlsim {

/// The last words of the layers that an adapter adds: the product to its rank, that back, and the sum with the output
/// of the frozen product.
inline constexpr const char* adapter_down = "lora_down";
inline constexpr const char* adapter_up = "lora_up";
inline constexpr const char* adapter_sum = "lora_sum";

/// Whether a layer is one of an adapter's products. They stay in 16 bits where others are in 8.
bool is_adapter(const Layer& layer);

/// Returns "block3.attention.query" for "block3.attention.query.lora_down".
std::string base_of_adapter(const std::string& layer);

/// Returns the model with only that part trained (Hu et al., LoRA, arXiv:2106.09685, section 4.1). A frozen layer keeps
/// its tensors in `frozen` and has no gradient of weights; layers before the first that is trained have no backward.
/// An adapter of rank r beside a product of `in` to `out` numbers has r (in + out) parameters. Documents of
/// `document_tokens` that are packed in a sequence of n tokens leave document_tokens/n of attention's FLOP, where
/// attention is one kernel, because it skips the blocks between documents; 0: a sequence is one document. Documents of
/// different lengths leave more. Throws UserError, at the keys of the scenario `where`, with every word that names no
/// layer, and for documents that are longer than a sequence.
Model partly_trained(const Model& model, const TrainedPart& part, double document_tokens,
                     const std::string& where = "");

} // namespace ddlsim
