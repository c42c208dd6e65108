#include "platforms/tools/deviation_fit.hpp"
#include "platforms/tools/hidden_times.hpp"
#include "sim/formats/data_folder.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

const DataFolder release_data{DDLSIM_SOURCE_DIR};

std::vector<OneGpuRow> shipped_rows(const ShippedTimes& shipped) {
  WorkloadMaker maker(shipped.catalogue);
  return one_gpu_rows(maker, shipped.catalogue, shipped.records, Pool::reference, "", 0);
}

} // namespace

TEST_CASE("the shipped sizes of deviations are the likeliest for the shipped times", "[deviation]") {
  const auto shipped = read_shipped_times(release_data);
  const auto rows = shipped_rows(shipped);
  REQUIRE(rows.size() > 600);
  const DeviationSizes sizes;
  const double here = ln_posterior(sizes, rows);
  constexpr double rounding = 0.05; // of ln posterior: the sizes have three digits
  for (const double factor : {1.1, 1 / 1.1}) {
    for (std::size_t s = 0; s < deviation_scope_count; ++s) {
      auto moved = sizes;
      moved.of_scope[s] *= factor;
      INFO("scope " << s << " times " << factor);
      CHECK(ln_posterior(moved, rows) < here + rounding);
    }
    for (std::size_t p = 0; p < step_part_count; ++p) {
      auto moved = sizes;
      moved.of_part[p] *= factor;
      INFO("part " << p << " times " << factor);
      CHECK(ln_posterior(moved, rows) < here + rounding);
    }
  }
}

} // namespace ddlsim
