#pragma once
#include <cstdint>
#include <memory>

namespace ddltrain {

class Network;

/// BERT's sizes (arXiv 1810.04805, section 3) and the length of its input.
struct BertShape {
  std::int64_t blocks = 12;
  std::int64_t width = 768;
  std::int64_t heads = 12;
  std::int64_t tokens = 128;
  /// Tokens of a sample that are masked and predicted; 0: the masked-word head scores every token.
  std::int64_t predicted = 20;
};

/// BERT with both pre-training heads (masked words and next sentence), word table of 30,522 rows shared by the word
/// embedding and the masked-word head.
std::shared_ptr<Network> bert(const BertShape& shape);

} // namespace ddltrain
