#include "calibrate/data/data_checks.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

/// Two clusters that differ in the rate of their NIC only.
ReferenceData two_fabrics(double ratio) {
  auto reference = planted_reference();
  auto fast = reference.clusters.at("planted");
  fast.name = "fast";
  fast.nics[0].bandwidth_Bps *= ratio;
  reference.clusters.emplace("fast", fast);
  return reference;
}

/// One experiment's file in both clusters; times of 1, 2, 4, 8, 16, 32 GPUs.
std::vector<Series> on_both(const std::vector<double>& slow_s, const std::vector<double>& fast_s) {
  auto slow = planted_file(planted_records("small", slow_s));
  auto fast = planted_file(planted_records("small", fast_s));
  fast.context.cluster = "fast";
  return group_series({slow, fast});
}

const std::vector<double> slow_times_s{0.05, 0.06, 0.07, 0.1, 0.11, 0.12};

std::vector<double> times_by(double factor) {
  auto times = slow_times_s;
  for (auto& time : times) time *= factor;
  return times;
}

} // namespace

TEST_CASE("one experiment with the same times on two fabrics did not run on the faster") {
  const auto series = on_both(slow_times_s, times_by(1.015));
  const auto reported = same_on_two_fabrics(series, two_fabrics(10));
  REQUIRE(reported.size() == 1);
  CHECK(reported.begin()->first == "fast/planted/small-ddp");
  CHECK(reported.begin()->second == "the same times as planted/planted/small-ddp on a fabric 10 times slower, at all 3 "
                                    "scales across nodes: it ran there; measure it again");
}

TEST_CASE("what differs by more than 2 % at any scale across nodes is no contradiction") {
  CHECK(same_on_two_fabrics(on_both(slow_times_s, times_by(1.03)), two_fabrics(10)).empty());
  auto once = slow_times_s;
  once[4] *= 0.97;
  CHECK(same_on_two_fabrics(on_both(slow_times_s, once), two_fabrics(10)).empty());
  auto inside = slow_times_s; // of a node, where the fabric does not show
  inside[1] *= 0.9;
  CHECK(same_on_two_fabrics(on_both(slow_times_s, inside), two_fabrics(10)).size() == 1);
}

TEST_CASE("fabrics of nearly one rate may give the same times") {
  CHECK(same_on_two_fabrics(on_both(slow_times_s, slow_times_s), two_fabrics(1.9)).empty());
  CHECK(same_on_two_fabrics(on_both(slow_times_s, slow_times_s), two_fabrics(2)).size() == 1);
}

TEST_CASE("scales inside a node do not compare fabrics") {
  const std::vector<double> inside{0.05, 0.06, 0.07};
  CHECK(same_on_two_fabrics(on_both(inside, inside), two_fabrics(10)).empty());
}

TEST_CASE("two experiments may take the same time") {
  auto series = on_both(slow_times_s, slow_times_s);
  for (auto& one : series)
    if (one.cluster == "fast") one.batch_per_gpu *= 2;
  CHECK(same_on_two_fabrics(series, two_fabrics(10)).empty());
}

TEST_CASE("series of the shipped records that did not run on the fabric they are filed under") {
  const DataFolder data{DDLSIM_SOURCE_DIR};
  std::vector<MeasurementFile> files;
  for (const auto& cluster : list_clusters(data))
    for (auto& file : read_cluster_measurements(data.platforms(), cluster)) files.push_back(std::move(file));
  std::vector<std::string> found;
  for (const auto& [id, why] : same_on_two_fabrics(group_series(files), read_reference_data(data))) found.push_back(id);
  const std::string folder = "hkbu-2020-ipoib/hkbu-ddl-benchmarks-2020/ddlbench-"; // servers by BytePS over IP
  CHECK(found ==
        std::vector<std::string>{folder + "bert_large-100gbe-tcp-bsp-ps", folder + "bert_large-100gbe-tcp-wfbp-ps",
                                 folder + "resnet50-100gbe-tcp-bsp-ps", folder + "resnet50-100gbe-tcp-wfbp-ps"});
}
