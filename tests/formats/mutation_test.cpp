#include "sim/base/json.hpp"
#include "sim/formats/check.hpp"
#include "tests/formats/sample_files.hpp"
#include "tests/fuzz/mutate.hpp"

#include <catch2/catch.hpp>

#include <random>

using ddlsim_test::TemporaryFolder;

namespace {

/// Checks spoilt copies of a good file; anything but a UserError or success ends the test.
int refused_of(const TemporaryFolder& folder, const std::string& name, int times) {
  const ddlsim::DataFolder data{folder.path()};
  const std::string good = ddlsim::read_text_file(folder.path() / name);
  std::mt19937_64 random(name.size()); // the same in every run
  int refused = 0;
  for (int i = 0; i < times; ++i) {
    const std::string bad = ddlsim_fuzz::spoil_bytes(good, random);
    const auto file = folder.write("mutated/" + name, bad);
    INFO(bad);
    try {
      const std::string summary = check_file(file, data); // not inside CHECK, which would catch
      CHECK_FALSE(summary.empty());
    } catch (const ddlsim::UserError& error) {
      ++refused;
      CHECK_FALSE(error.mistakes().empty());
    }
  }
  return refused;
}

} // namespace

TEST_CASE("a spoilt file is refused or read, and never more than that") {
  const TemporaryFolder folder;
  write_sample_data(folder);
  constexpr int times = 300;
  for (const char* name :
       {"platforms/gpus.json", "platforms/priors.json", "platforms/kernels/v100.json", "platforms/kernel-rates.json",
        "platforms/iris/cluster.json", "platforms/iris/measurements/all.jsonl", "scenarios/presets.json",
        "scenarios/tiny-iris.json", "scenarios/tiny-two-stacks.json", "scenarios/tiny-best-servers.json",
        "scenarios/plans/tiny-plan.json", "scenarios/convergence/tiny-set.json", "scenarios/inputs.json",
        "scenarios/tiny-named-input.json", "scenarios/models/tiny.json"}) {
    INFO(name);
    const int refused = refused_of(folder, name, times);
    CHECK(refused > times / 2); // most spoilt files are bad: else nothing was spoilt
    CHECK(refused < times);     // and some changes, in the words of a title, are harmless
  }
}

TEST_CASE("a spoilt text is parsed or refused") {
  std::mt19937_64 random(3);
  const std::string good = ddlsim_test::sample_cluster().dump(1);
  int parsed = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string bad = ddlsim_fuzz::spoil_bytes(good, random);
    INFO(bad);
    try {
      ddlsim::parse_json(bad, "a.json");
      ++parsed;
    } catch (const ddlsim::UserError& error) {
      CHECK_THAT(std::string(error.what()), Catch::StartsWith("a.json: "));
    }
  }
  CHECK(parsed > 0);
}
