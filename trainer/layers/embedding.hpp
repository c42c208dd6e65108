#pragma once
// A table of rows that can be used twice: to look words up, and to score words.

#include "trainer/layers/layer_definition.hpp"

namespace ddltrain {

/// The weights of an embedding, [rows, width].
at::Tensor embedding_table(std::int64_t rows, std::int64_t width);

/// Looks up rows of `table`, which is trained as this layer's weight. Input: integers of any shape.
UnitPtr embedding(const at::Tensor& table);

/// Scores of every row, x table^T + bias. The table belongs to the embedding: its gradient is complete only when that
/// one's is, so only the bias is this layer's own tensor.
UnitPtr tied_decoder(const at::Tensor& table);

} // namespace ddltrain
