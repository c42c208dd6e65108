#pragma once
// Builds a table of layers one after another, with the cost of each kind. FLOP are counted as `ddltrain describe` does.

#include "sim/formats/model.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A table that grows in the order of the forward pass. Sizes are of one sample. A share below 1 is for layers that see
/// a part of the states, such as an expert of a mixture.
class LayerList {
public:
  Model take(); ///< returns the model with `parameters` summed, and leaves the list empty

  /// The next layers do the work of that many experts, whose weights are the parts of one tensor; 0: of none.
  void set_experts(long experts) { experts_ = experts; }
  void embedding(const std::string& name, double states, long rows, long width);
  /// Adds a matrix product over `states` states: two FLOP for each weight and state. The bias is not counted.
  void linear(const std::string& name, double states, long in, long out, bool bias);
  /// Adds a matrix product with the weights of another layer.
  void tied_linear(const std::string& name, double states, long in, long out, bool bias);
  /// adds a norm of 8 FLOP an element
  void layer_norm(const std::string& name, double states, long width, bool bias = true);
  /// Adds a parameter to the last layer.
  void add_parameter(const std::string& word, const std::vector<long>& shape);
  /// adds a norm of 4 FLOP an element: square, sum, scale, weight
  void rms_norm(const std::string& name, double states, long width);
  /// Adds a layer with `elements` outputs of `flop` FLOP each.
  void each(const std::string& name, const std::string& kind, double elements, double flop);
  /// adds a dropout layer, but none if the chance is 0
  void dropout(const std::string& name, double elements, double chance);
  void attention(const std::string& name, double flop, double outputs, const AttentionFacts& facts = {});
  /// Adds a filter along the sequence for each channel, whose outputs see no later states.
  void causal_filter(const std::string& name, double states, long channels, long length, bool bias);
  /// Adds a scan of `heads` state spaces, each with its trained decay, step and skip.
  void scan(const std::string& name, double flop, double outputs, long heads);
  /// Adds patches of an image that do not overlap: a convolution as wide as its stride.
  void patches(const std::string& name, double count, long patch, long channels, long width);
  /// adds a layer that adds a trained parameter to the hidden states
  void parameter(const std::string& name, const std::vector<long>& shape, double outputs);
  /// adds log-softmax, and the mean of the entries that it picks
  void loss(const std::string& name, double rows, long classes);

private:
  std::vector<long> of_experts(std::vector<long> shape) const; ///< with the number of experts before it
  Layer& add(const std::string& name, const std::string& kind, double flop, double outputs);

  Model model_;
  long experts_ = 0;
};

} // namespace ddlsim
