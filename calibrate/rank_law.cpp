#include "calibrate/rank_law.hpp"

#include "sim/answer/text_numbers.hpp"
#include "sim/files/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {

RankShape rank_shape(bool tree, int ranks, int nodes) {
  const double n = std::max(2, ranks);
  const double nodes_real = std::max(1, nodes);
  const double ring_bytes = 2 * (n - 1) / n;
  const bool network = nodes > 1;
  if (tree) {
    const double nic = !network ? 0 : nodes == 2 ? 1 : 2;
    return {2 * std::max(0.0, n / nodes_real - 1), network ? 2 * std::log2(nodes_real) : 0, ring_bytes, nic};
  }
  const double hops = 2 * (n - 1);
  const double crossings = network ? std::ceil(hops * nodes_real / n) : 0;
  return {hops - crossings, crossings, n > nodes_real ? ring_bytes : 0, network ? ring_bytes : 0};
}

double rank_law_time_s(const RankLaw& law, double size_bytes, int ranks, int nodes) {
  const auto shape = rank_shape(law.tree, ranks, nodes);
  const auto value = [&](RankConstant which) { return law.constants[which].value; };
  CollectiveCurve curve;
  curve.latency_s.value =
      value(launch_s) + shape.intra_hops * value(intra_hop_s) + shape.network_hops * value(network_hop_s);
  curve.rate_Bps.value = 1 / std::max(shape.intra_bytes / value(intra_rate_Bps), shape.nic_bytes / value(nic_rate_Bps));
  curve.pipelining.value = value(rank_pipelining);
  return collective_law_s(curve, size_bytes);
}

std::string rank_law_text(const RankLaw& law) {
  constexpr const char* names[] = {"launch", "hop inside", "crossing", "rate inside", "rate of NICs", "pipelining"};
  std::string scales;
  for (const auto& scale : law.scales) scales += fmt::format("{}{}x{}", scales.empty() ? "" : ", ", scale[1], scale[0]);
  auto text = fmt::format("{}/{}, {} over {}: one law of a {} over ranks (nodes x ranks: {})\n", law.cluster,
                          law.program, law.library, law.transport, law.tree ? "double tree" : "ring", scales);
  for (std::size_t i = 0; i < rank_constants; ++i) {
    const auto& constant = law.constants[i];
    const auto value = i == rank_pipelining                       ? fmt::format("{:.2f}", constant.value)
                       : i == intra_rate_Bps || i == nic_rate_Bps ? print_quantity(constant.value, Dimension::bandwidth)
                                                                  : print_quantity(constant.value, Dimension::time);
    text += fmt::format("  {:<13} {:>12}  {}\n", names[i], value,
                        constant.identified ? fmt::format("+-{:.0f} %", 100 * constant.error)
                                            : std::string("unidentified: the prior's"));
  }
  return text + fmt::format("  off by {} of what it was fitted to; a rank count from the others: {} in the mean, {} at "
                            "worst\n",
                            percent_text(law.spread), percent_text(law.mean_left_out_error),
                            percent_text(law.worst_left_out_error));
}

} // namespace ddlsim
