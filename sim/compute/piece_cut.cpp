#include "sim/compute/piece_cut.hpp"

#include <algorithm>
#include <limits>

namespace ddlsim {
namespace {

constexpr double no_cut_s = std::numeric_limits<double>::infinity();

/// Whether the blocks from `begin` to before `end` may be a piece that must have `wanted` numbered blocks.
struct NumberedBlocks {
  std::vector<int> until; ///< number of numbered blocks among the first b

  explicit NumberedBlocks(const std::vector<BlockToCut>& blocks) : until(blocks.size() + 1, 0) {
    for (std::size_t b = 0; b < blocks.size(); ++b) until[b + 1] = until[b] + blocks[b].numbered_blocks;
  }
  bool may_be(std::size_t begin, std::size_t end, int wanted) const {
    return wanted == 0 || until[end] - until[begin] == wanted;
  }
};

} // namespace

std::vector<std::size_t> balanced_ends(const std::vector<BlockToCut>& blocks, std::size_t pieces,
                                       const BlocksOfPieces& wanted) {
  const std::size_t count = blocks.size();
  const NumberedBlocks numbered(blocks);
  const auto wanted_of = [&](std::size_t piece) { return piece < wanted.size() ? wanted[piece] : 0; };
  std::vector<double> until_s(count + 1, 0);
  for (std::size_t b = 0; b < count; ++b) until_s[b + 1] = until_s[b] + blocks[b].time_s;
  std::vector<double> slowest_s = until_s; // times of the first b blocks in one piece
  for (std::size_t b = 0; b <= count; ++b)
    if (!numbered.may_be(0, b, wanted_of(0))) slowest_s[b] = no_cut_s;
  std::vector<std::vector<std::size_t>> begins(pieces + 1, std::vector<std::size_t>(count + 1, 0));
  for (std::size_t k = 2; k <= pieces; ++k) {
    std::vector<double> next_s(count + 1, no_cut_s);
    for (std::size_t end = k; end <= count; ++end)
      for (std::size_t begin = k - 1; begin < end; ++begin) {
        const double time_s = std::max(slowest_s[begin], until_s[end] - until_s[begin]);
        if (!(time_s < next_s[end]) || !numbered.may_be(begin, end, wanted_of(k - 1))) continue;
        next_s[end] = time_s;
        begins[k][end] = begin;
      }
    slowest_s = next_s;
  }
  if (!(slowest_s[count] < no_cut_s)) return {};
  std::vector<std::size_t> ends(pieces, count);
  for (std::size_t k = pieces; k > 1; --k) ends[k - 2] = begins[k][ends[k - 1]];
  return ends;
}

} // namespace ddlsim
