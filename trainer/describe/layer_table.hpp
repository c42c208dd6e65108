#pragma once
// A network's layer table: its layers in forward order with shapes and work, found by running the network.

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
  std::int64_t activation_bytes_per_sample = 0; ///< output of the layer, fp32
  std::vector<TensorRow> tensors;               ///< trained ones
};

using LayerTable = std::vector<LayerRow>;

/// Samples in the batch that is run: batch norm in training mode needs two where the image has shrunk to one pixel.
inline constexpr std::int64_t describe_batch = 2;

/// Runs the loss of a random batch in training mode, without gradients, and writes down each layer call. Throws
/// std::logic_error when the network breaks the rules a table rests on: a layer called twice, a trained tensor in no
/// layer that was called, work that is not a multiple of the batch.
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

/// The layer table as a model file: one layer a line, equal blocks once, every key in a fixed order.
std::string table_json(const TableHead& head, const LayerTable& table);

/// The same of a model of the catalogue, as scenarios/models/NAME.json has it.
std::string table_json(const CatalogueEntry& model, const LayerTable& table);

/// LibTorch's version without what a build adds to it: "2.11.0+cu130" is 2.11.0.
std::string libtorch_version();

} // namespace ddltrain
