#pragma once
// Families of Hugging Face Transformers with scans of Mamba 2: alone, beside attention, and beside experts.

#include "own/hf_keys.hpp"
#include "own/transformer.hpp"

namespace ddlsim {

/// Mamba 2 (modeling_mamba2.py; Dao and Gu, arXiv:2405.21060): every block is a scan.
TransformerShape mamba2_shape(const HfKeys& config);

/// Bamba (modeling_bamba.py): blocks of a scan, or of attention at "attn_layer_indices", each with feed-forward layers.
TransformerShape bamba_shape(const HfKeys& config);

/// Nemotron-H and Nemotron 3 (modeling_nemotron_h.py): each block is a scan, attention, feed-forward layers or experts,
/// by the letters of "hybrid_override_pattern" or the words of "layers_block_type". The blocks of
/// "mtp_hybrid_override_pattern", which predict one more token, are trained by Megatron-LM and not by Transformers.
TransformerShape nemotron_h_shape(const HfKeys& config);

} // namespace ddlsim
