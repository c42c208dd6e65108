#pragma once
// Which layers' outputs a layer reads. A layer table is a list; the branches of a transformer's block follow from the
// names of its layers.

#include "sim/formats/model.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// Returns the last word of a layer's name: "query" for "block3.attention.query".
std::string last_word_of(const std::string& layer);

/// Returns for each layer the layers whose outputs it reads, each before it in the list. A layer that no rule names
/// reads the output of the layer before it, and the first layer reads none.
///   key, value          what the query reads; of latent attention the state's norm
///   query_norm, key_norm  query, key
///   state               what the first matrix of the query reads
///   up                  what the gate reads
///   attention           rotated queries and keys and the values, or the output of the one matrix for all three;
///                       `context` the values and what is before it
///   rotary              queries and keys, or their norms
///   activation          after `gate` and `up`: the gate
///   multiply            what is before it, and `up`
///   lora_down           what the product beside the adapter reads
///   downsample          what its block's first layer reads
///   an expert's first   what the router reads
std::vector<std::vector<std::size_t>> inputs_of_layers(const std::vector<Layer>& layers);

} // namespace ddlsim
