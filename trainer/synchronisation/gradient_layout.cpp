#include "trainer/synchronisation/gradient_layout.hpp"

namespace ddltrain {

GradientLayout lay_out(const std::vector<std::size_t>& counts, const std::vector<std::size_t>& ready) {
  GradientLayout layout;
  std::size_t first = 0;
  for (const std::size_t tensor : ready) {
    layout.push_back({tensor, first, counts.at(tensor)});
    first += counts[tensor];
  }
  return layout;
}

std::size_t element_count(const GradientLayout& layout) {
  return layout.empty() ? 0 : layout.back().first + layout.back().count;
}

} // namespace ddltrain
