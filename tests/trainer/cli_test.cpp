#include "trainer/files/error.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/program/cli.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

int run(std::vector<std::string> words) {
  words.insert(words.begin(), "ddltrain");
  std::vector<char*> arguments;
  arguments.reserve(words.size());
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  return ddltrain::run_command_line(static_cast<int>(arguments.size()), arguments.data());
}

} // namespace

TEST_CASE("A wrong command line ends with status 2") {
  CHECK(run({}) == 2);
  CHECK(run({"describe"}) == 2);
  CHECK(run({"describe", "--list", "lenet5"}) == 2);
  CHECK(run({"describe", "lenet5", "--nonsense"}) == 2);
  CHECK(run({"describe", "no-such-model"}) == 2);
  CHECK(run({"no-such-command"}) == 2);
}

TEST_CASE("An unknown model is answered with the nearest name") {
  CHECK_THROWS_WITH(ddltrain::find_model("resnet50_1.5"),
                    Catch::Contains("\"resnet50_1.5\"") && Catch::Contains("\"resnet50_v1.5\""));
  CHECK_THROWS_AS(ddltrain::find_model(""), ddltrain::UsageError);
}

TEST_CASE("A name that leaves the variant open is answered with its variants") {
  CHECK_THROWS_WITH(ddltrain::find_model("resnet50"),
                    Catch::Contains("resnet50_v1, resnet50_v1.5, resnet50_v2") && !Catch::Contains("nearest"));
}

TEST_CASE("Help and the list end with status 0") {
  CHECK(run({"--help"}) == 0);
  CHECK(run({"describe", "--help"}) == 0);
  CHECK(run({"describe", "--list"}) == 0);
}

TEST_CASE("A table that cannot be written ends with status 1") {
  CHECK(run({"describe", "lenet5", "--output", "/proc/no-such-folder/table.json"}) == 1);
}

TEST_CASE("describe writes the file it is told to") {
  const auto file = std::filesystem::temp_directory_path() / ("ddltrain_cli_" + std::to_string(::getpid()) + ".json");
  CHECK(run({"describe", "lenet5", "--output", file.string()}) == 0);
  CHECK(std::filesystem::file_size(file) > 0);
  std::filesystem::remove(file);
}
