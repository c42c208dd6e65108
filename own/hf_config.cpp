#include "own/hf_config.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ddlsim {
namespace {

constexpr long most_layers = 100'000;              ///< most layers of a table, and elements that JSON readers accept
constexpr double largest_count = 9007199254740992; ///< 2^53, up to which doubles hold every whole number

/// Checks --sequence. The states of an image model come from its patches; every other model needs the option.
void check_sequence(const JsonNode& root, const TransformerShape& shape, const HfOptions& options) {
  const bool vocabulary = shape.vocabulary > 0;
  if (vocabulary && options.sequence == 0)
    root.mistake("a config does not say how long a sample is; give --sequence TOKENS, or \"sequence\" in the scenario");
  if (!vocabulary && options.sequence > 0) root.mistake("an image model has no sequence; leave --sequence out");
  if (vocabulary && shape.positions > 0 && options.sequence > shape.positions)
    root.mistake(fmt::format("--sequence {} found, and the table of positions has {}; give that or fewer",
                             options.sequence, shape.positions));
  if (options.predicted_words > shape.tokens)
    root.mistake(fmt::format("{} predicted words of {} tokens; give fewer", options.predicted_words, shape.tokens));
}

void check_size(const JsonNode& root, const TransformerShape& shape) {
  constexpr long in_a_block = 30;
  const long blocks = shape.blocks + shape.decoder_blocks;
  if (blocks * in_a_block > most_layers)
    root.mistake(fmt::format("{} blocks have some {} layers; a table has at most {} layers", blocks,
                             blocks * in_a_block, most_layers));
}

void check_counts(const JsonNode& root, const Model& model) {
  for (const auto& layer : model.layers) {
    double largest = std::max(layer.forward_flop_per_sample, layer.activation_bytes_per_sample);
    for (const auto& tensor : layer.tensors) largest = std::max(largest, tensor.size_bytes);
    if (largest <= largest_count) continue;
    root.mistake(
        fmt::format("layer {} has more than 2^53 FLOP or bytes; look for a slip in the sizes", in_quotes(layer.name)));
    return;
  }
}

std::string sample_of(const TransformerShape& shape) {
  if (shape.vocabulary > 0) return fmt::format("sequence of {} tokens", shape.tokens);
  return fmt::format("image {}x{}x{}", shape.channels, shape.image, shape.image);
}

void add_notes(const TransformerShape& shape, const JsonNode& root, std::vector<std::string>& notes) {
  notes.emplace_back(shape.eager_attention
                         ? "attention writes its scores to memory, as attn_implementation=\"eager\" does"
                         : "attention is one kernel that keeps its scores on the chip, as "
                           "attn_implementation=\"sdpa\" does; its FLOP are those of all pairs of "
                           "states, masked or not");
  if (shape.experts > 0)
    notes.push_back(fmt::format("each of the {} experts sees {} of {} states, as an even router deals them out",
                                shape.experts, shape.experts_a_token, shape.experts));
  const long most = root.integer_or("max_position_embeddings", 0, 0, most_hf_size);
  if (shape.rotary && most > 0 && shape.tokens > most)
    notes.push_back(
        fmt::format("the config was made for at most {} positions, and {} are asked for", most, shape.tokens));
  if (root.has("quantization_config"))
    notes.emplace_back("quantization_config was left out: training has every weight");
}

} // namespace

ConfiguredModel import_hf_config(const std::filesystem::path& file, const HfOptions& options) {
  const auto document = parse_json(read_text_file(file), file.string());
  Mistakes mistakes(file.string());
  const JsonNode root(document, "", mistakes);
  ConfiguredModel made;
  if (root.is_object()) {
    auto shape = hf_shape(root, made.notes);
    if (shape.vocabulary > 0) shape.tokens = options.sequence;
    shape.eager_attention = options.eager_attention;
    shape.predicted_words = options.predicted_words;
    if (mistakes.empty()) check_sequence(root, shape, options);
    if (mistakes.empty()) check_size(root, shape);
    if (mistakes.empty()) {
      made.model = transformer_model(shape);
      check_counts(root, made.model);
      add_notes(shape, root, made.notes);
    }
    made.model.title = fmt::format("{} of {} blocks, {} wide", shape.family, shape.blocks, shape.width);
    made.model.sample = sample_of(shape);
  }
  mistakes.throw_if_any();
  made.model.name = options.name.empty() ? "model" : options.name;
  made.model.source = fmt::format("ddlsim import hf-config {}: by the arithmetic of a transformer, nothing was run",
                                  file.filename().string());
  return made;
}

} // namespace ddlsim
