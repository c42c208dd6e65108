#include "sim/formats/data_folder.hpp"
#include "sim/formats/plan_request.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

using ddlsim::read_convergence;

TEST_CASE("a convergence is read") {
  const ddlsim_test::TemporaryFolder folder;
  const auto convergence = read_convergence(folder.write("a.json", ddlsim_test::sample_convergence().dump()));
  CHECK(convergence.name == "tiny-set");
  CHECK(convergence.models == std::vector<std::string>{"tiny"});
  CHECK(convergence.samples == 1000);
  REQUIRE(convergence.points.size() == 3);
  CHECK(convergence.points[0].global_batch == 64);
  CHECK(convergence.points[0].epochs == 10);
  CHECK(convergence.points[0].deviation == 0.5);
  CHECK(convergence.points[0].runs == 4);
}

TEST_CASE("mistakes in a convergence") {
  const auto read = [](const std::filesystem::path& file) { read_convergence(file); };
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_convergence(),
      {
          {"/models", "[]", "/models: none found; give one or more"},
          {"/samples", "0", "/samples: 0 found; give a number above 0, without quotes or unit"},
          {"/points/1/global_batch", "64",
           "/points/1/global_batch: 64 comes after 64; give the batches in ascending order, each once"},
          {"/points/1/runs", "0", "/points/1/runs: 0 is out of range; give 1 to 1000000"},
          {"/points", R"([{"global_batch": 64, "epochs": 10, "deviation": 0.5, "runs": 4}])",
           "/points: 1 found; give 3 or more"},
          {"/points/0/deviation", "", "/points/0/deviation: missing; give a number, 0 to 1000000000"},
      },
      read);
}

TEST_CASE("a convergence that is not there is refused with those that are") {
  const ddlsim::DataFolder data{DDLSIM_SOURCE_DIR};
  CHECK_THROWS_WITH(load_convergence(data, "resnet50-imagenette"),
                    Catch::Contains("did you mean resnet50-imagenet?") && Catch::Contains("bert-wikipedia"));
}
