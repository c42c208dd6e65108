#include "sim/library/nccl_tuning.hpp"

namespace ddlsim {
namespace {

constexpr double no_ceiling = 1e9;
constexpr double nvls_share = 5.0 / 6;
constexpr PerNodes free_of_ceiling{no_ceiling, no_ceiling, no_ceiling};
constexpr PerNodes volta_tree{26.5, 18.5, 10.0};
constexpr PerNodes ampere_tree{24.0, 23.6, 17.8};
constexpr PerNodes hopper_tree{38.7, 41.4, 36.0};
constexpr PerNodes volta_ll{39.0, 39.0, 20.4};
constexpr PerNodes ampere_ll{87.7, 22.5, 19.0};
constexpr PerNodes hopper_ll{141.0, 45.0, 35.0};

template <class Value> constexpr PerGpu<Value> for_all(const Value& value) {
  return {value, value, value, value};
}

constexpr PerNodes each(double ceiling) {
  return {ceiling, ceiling, ceiling};
}

const std::vector<double> ll_correction{1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5,
                                        0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0, 1.0};
const std::vector<double> ll128_correction{1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6,
                                           0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1.0, 1.0};
const std::vector<double> ll128_correction_2_8{1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.7,  0.6, 0.6,
                                               0.6, 0.5, 0.6, 0.6, 0.7, 0.7, 0.8, 0.9, 0.9, 0.92, 0.92};
const std::vector<double> simple_correction{0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5,
                                            0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9};

/// Constants of tag v2.5.6-1, for 2.5 to 2.7. They have one ceiling of trees and LL128 for all channels, 70 to 100
/// GB/s, which no network of that time reaches.
NcclTuning of_2_5() {
  NcclTuning tuning{};
  tuning.from = nccl_with_estimates;
  tuning.base_us = {{3.6, 3.6, 8.4}, {4.4, 4.4, 0}};
  tuning.hop_us = {RingAndTree{{0.4, 2.5, 5.7}, {0.5, 1.9, 28}}, RingAndTree{{1.0, 2.5, 5.7}, {1.0, 1.9, 28}},
                   RingAndTree{{0.9, 2.5, 6.6}, {5.0, 7.5, 50}}};
  tuning.ll_ring_share = 1.0 / 4;
  tuning.ll128_ring_share = tuning.ll128_ring_share_alone = 120.0 / 128;
  tuning.tree_share = 0.9;
  tuning.ll_tree_share = 1.0 / 3;
  tuning.ll128_tree_share_one_node = tuning.ll128_tree_share = 7.0 / 9;
  tuning.ll_ceiling = tuning.tree_channel_ceiling = for_all(free_of_ceiling);
  tuning.ring_ll128_channel_ceiling = tuning.tree_ll128_channel_ceiling = for_all(free_of_ceiling);
  tuning.ring_hops_as_network = true;
  tuning.plateau = tuning.plateau_from_ampere = 1;
  tuning.ll_intra_factor = 1;
  return tuning;
}

/// Constants of tag v2.8.4-1, for 2.8 to 2.17, although 2.12 counts 28 us, not 9.6, for a Simple hop of a ring across
/// nodes.
NcclTuning of_2_8() {
  constexpr double ll128_channel_ceiling = 16.9;
  NcclTuning tuning = of_2_5();
  tuning.from = {CollectiveLibrary::nccl, 2, 8, 0};
  tuning.base_us = {{3.6, 10.0, 8.4}, {4.4, 4.4, 0}};
  tuning.hop_us = {RingAndTree{{0.47, 1.9, 3.4}, {0.52, 1.25, 28}}, RingAndTree{{1.0, 2.5, 5.7}, {1.0, 1.9, 28}},
                   RingAndTree{{2.7, 4.0, 9.6}, {5.0, 8.5, 28}}};
  tuning.ll128_ring_share = 0.92;
  tuning.ll128_ring_share_alone = 0.7;
  tuning.tree_share = 0.92;
  tuning.ll_tree_share = 1 / 3.8;
  tuning.ll128_tree_share = 0.915;
  tuning.ll_ceiling = {volta_ll, ampere_ll, ampere_ll, ampere_ll};
  tuning.tree_channel_ceiling = {volta_tree, {24.0, 22.5, 16.0}, {24.0, 22.5, 16.0}, {24.0, 22.5, 16.0}};
  tuning.ring_ll128_channel_ceiling = tuning.tree_ll128_channel_ceiling = for_all(each(ll128_channel_ceiling));
  tuning.tree_correction = {ll_correction, ll128_correction_2_8, simple_correction};
  tuning.ring_hops_as_network = false;
  tuning.plateau = tuning.plateau_from_ampere = 1.9;
  tuning.ll_intra_factor = 1.8;
  tuning.ll128_on_ampere = true;
  return tuning;
}

/// Constants of tag v2.18.3-1, for 2.18.
NcclTuning of_2_18() {
  constexpr PerNodes hopper_tree_ll128{36.7, 36.7, 29.0};
  NcclTuning tuning = of_2_8();
  tuning.from = {CollectiveLibrary::nccl, 2, 18, 0};
  tuning.base_us = {{6.6, 14.0, 8.4}, {6.8, 14.0, 0}};
  tuning.hop_us = {RingAndTree{{0.6, 1.9, 3.4}, {0.6, 1.25, 4}}, RingAndTree{{1.0, 2.5, 5.7}, {1.0, 1.9, 6}},
                   RingAndTree{{2.7, 4.0, 14.0}, {5.0, 8.5, 14}}};
  tuning.ll128_tree_share = 120.0 / 128;
  tuning.tree_channel_ceiling = {volta_tree, ampere_tree, hopper_tree, hopper_tree};
  tuning.ring_ll128_channel_ceiling = {each(20.0), each(20.0), each(36.7), each(36.7)};
  tuning.tree_ll128_channel_ceiling = {each(20.0), each(20.0), hopper_tree_ll128, hopper_tree_ll128};
  tuning.tree_correction = {ll_correction, ll128_correction, simple_correction};
  tuning.plateau_from_ampere = 1.4;
  tuning.plateau_by_channel = true;
  tuning.has_network_overhead = true;
  tuning.heeds_plugin = true;
  tuning.nvls.is_there = true;
  tuning.nvls.base_us = 23;
  tuning.nvls.network_hop_us = 19;
  tuning.nvls.sharp_hop_us = 18;
  tuning.nvls.counts_nodes = true;
  tuning.nvls.share = nvls_share;
  tuning.nvls.tree_share = 0.7;
  return tuning;
}

/// Constants of tag v2.19.4-1, for 2.19 and 2.20. A tree's Simple hop takes 28 us again.
NcclTuning of_2_19() {
  NcclTuning tuning = of_2_18();
  tuning.from = {CollectiveLibrary::nccl, 2, 19, 0};
  for (auto& hop : tuning.hop_us) hop.tree.back() = 28;
  tuning.nvls.base_us = 0;
  tuning.nvls.hop_us = 23;
  tuning.nvls.network_hop_us = 14;
  tuning.nvls.counts_nodes = false;
  tuning.nvls.tree_share = nvls_share;
  return tuning;
}

/// Constants of tag v2.21.5-1, for 2.21 and 2.22.
NcclTuning of_2_21() {
  NcclTuning tuning = of_2_19();
  tuning.from = {CollectiveLibrary::nccl, 2, 21, 0};
  tuning.nvls.hop_us = 25;
  return tuning;
}

/// Constants of tag v2.23.4-1, for 2.23 to 2.27. The row of Blackwell is that of the snapshot of June 2026.
NcclTuning of_2_23() {
  NcclTuning tuning = of_2_18();
  tuning.from = {CollectiveLibrary::nccl, 2, 23, 0};
  tuning.nvls = of_2_21().nvls;
  tuning.base_us.tree.back() = 8.4;
  tuning.hop_us[static_cast<std::size_t>(NcclHop::pci)].tree.back() = 4;
  tuning.ll_ring_share = 0.5;
  tuning.ll128_ring_share_alone = 0.92;
  tuning.ll_ceiling = {volta_ll, ampere_ll, hopper_ll, {282.0, 90.0, 70.0}};
  tuning.tree_channel_ceiling.back() = {70.0, 42.8, 24.0};
  tuning.ring_ll128_channel_ceiling.back() = each(40.0);
  tuning.tree_ll128_channel_ceiling.back() = {55.6, 31.67, 20.0};
  return tuning;
}

/// Constants of tag v2.28.3-1, which states NVLS by the share of a port's rate that each GPU reaches.
NcclTuning of_2_28() {
  NcclTuning tuning = of_2_23();
  tuning.from = nccl_with_nvls_fit;
  tuning.nvls.by_efficiency = true;
  tuning.nvls.efficiency = {0, 0, 0.85, 0.74};
  tuning.nvls.tree_channel_ceiling = {volta_tree, ampere_tree, {0, 57.7, 45.5}, {0, 96.0, 80.0}};
  return tuning;
}

/// Constants of tag v2.28.9-1, for this and all later versions.
NcclTuning of_2_28_7() {
  NcclTuning tuning = of_2_28();
  tuning.from = {CollectiveLibrary::nccl, 2, 28, 7};
  tuning.nvls.network_hop_us = 20.9;
  return tuning;
}

} // namespace

std::size_t column_of(Protocol protocol) {
  if (protocol == Protocol::ll) return 0;
  return protocol == Protocol::ll128 ? 1 : 2;
}

double tree_correction(const NcclTuning& tuning, Protocol protocol, double doublings) {
  const auto& row = tuning.tree_correction[column_of(protocol)];
  return doublings < static_cast<double>(row.size()) ? row[static_cast<std::size_t>(doublings)] : 1;
}

const NcclTuning& nccl_tuning(const LibraryVersion& version) {
  static const std::array<NcclTuning, 8> versions{of_2_5(),  of_2_8(),  of_2_18(), of_2_19(),
                                                  of_2_21(), of_2_23(), of_2_28(), of_2_28_7()};
  const NcclTuning* found = versions.data();
  for (const auto& one : versions)
    if (one.from <= version) found = &one;
  return *found;
}

namespace {

/// CollNet's constants of tags v2.6.4-1, v2.10.3-1, v2.14.3-1, v2.18.3-1, v2.19.4-1 and v2.23.4-1
/// (src/graph/tuning.cc). Version 2.14 counts no network for a chain.
std::array<CollnetTuning, 6> collnet_versions() {
  const auto of = [](int minor) { return LibraryVersion{CollectiveLibrary::nccl, 2, minor, 0}; };
  CollnetTuning first{of(6)};
  first.chain = {4.0, 5.5, 10.7, 0, 0.9, true};
  CollnetTuning one_shot{of(10)};
  one_shot.direct = {8.0, 8.0, 10.7, 0.5, 1, false};
  CollnetTuning both = one_shot;
  both.from = of(14);
  both.chain = {8.0, 8.0, 0, 0, 0.75, true};
  both.counts_heads = true;
  CollnetTuning hopper = both;
  hopper.from = of(18);
  hopper.chain = {4.75, 8.0, 14, 0, 1, true};
  hopper.hopper_share = 0.85;
  CollnetTuning slow_network = hopper;
  slow_network.from = of(19);
  slow_network.direct = {3.7, 3.7, 31, 0.4, 1, false};
  slow_network.chain = {2.8, 2.8, 30, 0, 1, true};
  CollnetTuning alone = slow_network;
  alone.from = of(23);
  alone.alone_network_us = 14;
  return {first, one_shot, both, hopper, slow_network, alone};
}

} // namespace

const CollnetTuning* collnet_tuning(const LibraryVersion& version) {
  static const auto versions = collnet_versions();
  const CollnetTuning* found = nullptr;
  for (const auto& one : versions)
    if (one.from <= version) found = &one;
  return found;
}

} // namespace ddlsim
