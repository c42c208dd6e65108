#pragma once
// A network's layer table: its layers in the order of forward with shapes and work. It is found by running the network.

#include "trainer/models/catalogue.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ddltrain {
class Network;

struct TensorRow {
  std::string name;
  std::vector<std::int64_t> shape;
};

struct LayerRow {
  std::string name;
  std::string kind;
  std::int64_t forward_flop_per_sample = 0;
  std::int64_t activation_bytes_per_sample = 0; ///< bytes of the layer's output in fp32
  std::vector<TensorRow> tensors;               ///< the trained tensors
};

using LayerTable = std::vector<LayerRow>;

/// Number of samples in the batch that is run. Batch norm in training mode needs two where the image has shrunk to one
/// pixel.
inline constexpr std::int64_t describe_batch = 2;

/// Runs the loss of a random batch in training mode, without gradients, and notes each call of a layer. Throws
/// std::logic_error when the network breaks the rules of a table: a layer is called twice, a trained tensor is in no
/// layer that was called, or work is no multiple of the batch.
LayerTable describe(Network& network, std::int64_t batch = describe_batch);

std::int64_t element_count(const TensorRow& tensor);
std::int64_t parameter_count(const LayerTable& table);
std::int64_t forward_flop_per_sample(const LayerTable& table);

/// What stands above the layers in a model file.
struct TableHead {
  std::string name;
  std::string title;
  std::string source;
  std::string sample;
};

/// Returns the layer table as a model file: one layer a line, equal blocks once, every key in a fixed order.
std::string table_json(const TableHead& head, const LayerTable& table);

/// Returns the same for a model of the catalogue, as in scenarios/models/NAME.json.
std::string table_json(const CatalogueEntry& model, const LayerTable& table);

/// Returns LibTorch's version without what a build adds to it: "2.11.0" for "2.11.0+cu130".
std::string libtorch_version();

} // namespace ddltrain
