#include "sim/predict/measured_operation.hpp"

#include <array>
#include <cstddef>

namespace ddlsim {

std::string to_text(Measured what) {
  static constexpr std::array<const char*, 9> words{
      "iteration", "all_reduce", "reduce_scatter", "all_gather", "all_to_all", "message", "push", "pull", "push_pull"};
  return words[static_cast<std::size_t>(what)];
}

bool is_collective(Measured what) {
  return what >= Measured::all_reduce && what <= Measured::all_to_all;
}

std::optional<Measured> collective_named(const std::string& operation) {
  for (const auto what : {Measured::all_reduce, Measured::reduce_scatter, Measured::all_gather, Measured::all_to_all})
    if (operation == to_text(what)) return what;
  return std::nullopt;
}

double collective_alone_s(const StepSetup& setup, const Parameters& sample, Measured what, double size_bytes) {
  if (what == Measured::reduce_scatter)
    return lone_collective_s(setup, sample, CollectiveOperation::reduce_scatter, size_bytes);
  if (what == Measured::all_gather)
    return lone_collective_s(setup, sample, CollectiveOperation::all_gather, size_bytes);
  if (what == Measured::all_to_all) return lone_all_to_all_s(setup, sample, size_bytes);
  return lone_all_reduce_s(setup, sample, size_bytes);
}

} // namespace ddlsim
