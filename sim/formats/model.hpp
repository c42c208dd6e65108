#pragma once
// A network as a list of layers in forward order, as `ddltrain describe` writes it to scenarios/models/NAME.json.

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// One trainable parameter tensor.
struct ParameterTensor {
  std::string name;
  std::vector<long> shape;
  double size_bytes = 0; ///< size in fp32; it scales with the wire precision

  bool operator==(const ParameterTensor&) const = default;
};

/// What attention computes beyond its FLOP and outputs.
struct AttentionFacts {
  long head_width = 0; ///< values of a head of the output; 0: not stated, and 128 is taken
  long key_width = 0;  ///< values of a query's and a key's head; 0: as many as head_width
  long key_heads = 0;  ///< heads of keys and values; 0: as many as of queries
  long window = 0;     ///< tokens that one token sees, its own among them; 0: all
  long chunk = 0;      ///< tokens of a part of the sequence that sees itself only; 0: the whole sequence
  bool causal = true;  ///< a token sees no later ones

  bool operator==(const AttentionFacts&) const = default;
};
/// What backward computes in a layer: gradients of its weights and of its input; of its input only, because its weights
/// are frozen; nothing, because nothing before it is trained.
enum class LayerBackward { whole, input_only, none };

/// One layer. All its gradients become ready together when its backward ends.
struct Layer {
  std::string name;
  /// Kind of the layer: conv1x1, conv3x3, conv, depthwise, linear, norm, activation, pool, embedding, attention, scan
  /// (a state space's, as Mamba 2 has), elementwise, loss.
  std::string kind;
  double forward_flop_per_sample = 0;     ///< a multiply and an add count as two
  double activation_bytes_per_sample = 0; ///< size of the layer's output in fp32
  std::vector<ParameterTensor> tensors;
  /// Experts whose work the layer does together, each with its part of every tensor; 0: it is no layer of experts.
  long experts = 0;
  AttentionFacts attention{};            ///< of a layer of attention
  std::vector<ParameterTensor> frozen{}; ///< tensors that training does not change; a file has none
  LayerBackward backward = LayerBackward::whole;

  bool operator==(const Layer&) const = default;
};

/// A model variant. Variants are different models: resnet50_v1 is not resnet50_v1.5.
struct Model {
  std::string name;
  std::string title;
  std::string source;           ///< program that wrote the file, with versions
  std::string sample;           ///< shape of a sample: "image 3x224x224", "sequence of 128 tokens"
  double parameters = 0;        ///< trainable scalars, equal to the sum of the shapes
  std::vector<Layer> layers;    ///< layers in forward order
  double frozen_parameters = 0; ///< scalars that training does not change
  std::string training{};       ///< training_text() of what the question changed of the table; "": nothing

  /// tokens that `sample` states: 128 for "sequence of 128 tokens"; 0 if it states none
  double tokens_per_sample() const;
  double size_bytes() const; ///< size of all tensors in fp32
  double forward_flop_per_sample() const;
  /// FLOP of both passes: three times those of forward, twice for a layer with frozen weights, and once for a layer
  /// without backward. Narayanan et al., SC 2021, section 5.1, count a trained layer so.
  double training_flop_per_sample() const;

  bool operator==(const Model&) const = default;
};

/// Reads and checks one layer table and expands repeated blocks. Throws UserError with every mistake of the file.
Model read_model(const std::filesystem::path& file);

/// Writes the table with one line for each layer and repeated blocks once; the same model gives the same bytes. Text
/// that is not UTF-8 is repaired.
std::string model_json(const Model& model);

/// Returns the variants of a family when `name` names the family only ("resnet50", "ResNet-50", "inception3",
/// "bert_base"). Empty for any other name.
std::vector<std::string> variants_of_bare_name(const std::string& name);

} // namespace ddlsim
