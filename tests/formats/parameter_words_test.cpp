#include "sim/formats/parameter_words.hpp"
#include "sim/formats/parameters.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace ddlsim;

TEST_CASE("every parameter has words of its own that fit a column") {
  std::set<std::string> seen;
  for (const auto& field : parameter_fields()) {
    const auto words = parameter_words(field.name);
    INFO(field.name << ": " << words);
    CHECK(words.find('_') == std::string::npos);
    CHECK(words.size() <= 24);
    CHECK(seen.insert(words).second);
  }
  CHECK(parameter_words("a_new_one") == "a new one");
}

TEST_CASE("values of parameters are in the units that people read") {
  CHECK(parameter_value("nic_efficiency", "1", 0.7014) == "70.1 %");
  CHECK(parameter_value("compute_factor", "1", 1.021) == "x 1.02");
  CHECK(parameter_value("net_latency", "s", 2.43e-5) == "24.3 us");
  CHECK(parameter_value("sync_on", "s", 3.54e-3) == "3.54 ms");
  CHECK(parameter_value("sync_on", "s", 2.0) == "2 s");
  CHECK(parameter_value("socket_rate", "B/s", 2.37e9) == "2.37 GB/s");
  CHECK(parameter_interval("tensor_cost", "s", 9e-4, 8e-4, 1.2e-3) == "900 us (800..1.2e+03)");
}
