#pragma once
// Builds a table of layers one after another, with the cost of each kind. FLOP are counted as `ddltrain describe` does.

#include "sim/formats/model.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A table that grows in forward order. Sizes are of one sample; a share below 1 is of layers that see a part of the
/// states (an expert of a mixture).
class LayerList {
public:
  Model take(); ///< with `parameters` summed; the list is empty afterwards

  void embedding(const std::string& name, double states, long rows, long width);
  /// A matrix product over `states` states: two FLOP per weight and state; the bias is not counted.
  void linear(const std::string& name, double states, long in, long out, bool bias);
  /// A matrix product with the weights of another layer.
  void tied_linear(const std::string& name, double states, long in, long out, bool bias);
  void layer_norm(const std::string& name, double states, long width); ///< 8 FLOP an element
  void rms_norm(const std::string& name, double states, long width);   ///< 4: square, sum, scale, weight
  /// A layer with `elements` outputs of `flop` FLOP each.
  void each(const std::string& name, const std::string& kind, double elements, double flop);
  void dropout(const std::string& name, double elements, double chance); ///< no layer if the chance is 0
  void attention(const std::string& name, double flop, double outputs);
  /// Non-overlapping patches of an image: a convolution as wide as its stride.
  void patches(const std::string& name, double count, long patch, long channels, long width);
  void parameter(const std::string& name, const std::vector<long>& shape, double outputs); ///< a table that is added
  void loss(const std::string& name, double rows, long classes); ///< log-softmax, and the mean of the entries it picks

private:
  Layer& add(const std::string& name, const std::string& kind, double flop, double outputs);

  Model model_;
};

} // namespace ddlsim
