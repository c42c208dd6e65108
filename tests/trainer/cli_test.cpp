#include "sim/base/error.hpp"
#include "trainer/cli/commands.hpp"
#include "trainer/cli/options.hpp"
#include "trainer/cli/train_command.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/run_error.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
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
                    Catch::Contains("\"resnet50_1.5\"") && Catch::Contains("did you mean resnet50_v1.5"));
  CHECK_THROWS_AS(ddltrain::find_model(""), ddlsim::UserError);
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

TEST_CASE("Of a failure of LibTorch's a person reads the first line, and what helps where memory ran out") {
  const auto message = [](const auto& fail) -> std::string {
    try {
      fail();
    } catch (const std::exception& error) {
      CHECK(std::string(error.what()).find('\n') != std::string::npos);
      return ddltrain::failure_text(error);
    }
    return "";
  };
  CHECK(message([] {
          at::ones({2, 3}).mm(at::ones({2, 3}));
        }) == "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
  const std::string no_room = message([] { at::empty({std::int64_t{1} << 50}); });
  CHECK_THAT(no_room, Catch::Contains("allocate memory") && Catch::EndsWith("; a smaller --batch takes less memory"));
  CHECK(no_room.find('\n') == std::string::npos);
  CHECK(message([] { throw ddltrain::RunError("two mistakes:\none and other"); }) == "two mistakes:\none and other");
}

TEST_CASE("A table that cannot be written ends with status 1") {
  CHECK(run({"describe", "lenet5", "--output", "/proc/no-such-folder/table.json"}) == 1);
}

TEST_CASE("describe writes the file it is given") {
  const auto file = std::filesystem::temp_directory_path() / ("ddltrain_cli_" + std::to_string(::getpid()) + ".json");
  CHECK(run({"describe", "lenet5", "--output", file.string()}) == 0);
  CHECK(std::filesystem::file_size(file) > 0);
  std::filesystem::remove(file);
}

// What `ddltrain train` refuses before it starts anything.

namespace {

using Words = std::vector<std::string>;

/// What is said of this command line.
std::string refusal(CLI::App& program, Words words) {
  std::reverse(words.begin(), words.end()); // as CLI11 takes them
  try {
    program.parse(words);
  } catch (const ddlsim::UserError& error) {
    return error.what();
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

std::string refused(Words words) {
  CLI::App program;
  ddltrain::TrainArguments arguments;
  int status = 0;
  ddltrain::add_train(program, arguments, status);
  words.insert(words.begin(), "train");
  return refusal(program, words);
}

std::string refused_measurement(Words words) {
  CLI::App program;
  ddltrain::MeasureArguments arguments;
  int status = 0;
  ddltrain::add_measuring(program, arguments, words, status);
  words.insert(words.end(), {"--cluster", "local"});
  return refusal(program, words);
}

} // namespace

TEST_CASE("train refuses what cannot be, and says what to do") {
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"--strategy", "rong"}, "unknown --strategy \"rong\""},
      {{"--strategy", "ps", "--grouping", "fusion"}, "fusion is for all-reduces"},
      {{"--grouping", "fusion", "--overlap", "off"}, "fusion always overlaps"},
      {{"--model", "resnet50"}, "leaves the variant open"},
      {{"--async"}, "--async is for --strategy ps"},
      {{"--lr-schedule", "30"}, "--lr-schedule \"30\" found; EPOCHS:FACTOR"},
      {{"--lr-schedule", "0:0.1"}, "--lr-schedule \"0:0.1\" found"},
      {{"--lr-schedule", "30:0.1,60:0.1"}, "EPOCHS:FACTOR above 0 is expected"},
      {{"--broadcast-buffers", "yes"}, "unknown --broadcast-buffers \"yes\"; there are auto, off, on"},
      {{"--broadcast-buffers", "on", "--strategy", "ps"}, "--broadcast-buffers on is for --strategy ring"},
      {{"--replay", "x", "--data", "digits"}, "it learns nothing"},
      {{"--ignore-loss", "--data", "digits"}, "--ignore-loss is for --data synthetic"},
      {{"--queued-steps", "10"}, "--queued-steps 10 is for --device cuda"},
      {{"--device", "tpu"}, "unknown --device \"tpu\""},
      {{"--backend", "gloo"}, "unknown --backend \"gloo\""},
      {{"--precision", "fp8"}, "unknown --precision \"fp8\""},
      {{"--precision", "amp"}, "--precision amp needs --device cuda"},
      {{"--device", "cuda", "--precision", "amp", "--strategy", "ps"}, "use bf16 or fp32"},
      {{"--device", "cuda", "--replay", "x"}, "use --device cpu"},
      {{"--gpu", "V100-SXM2-16GB"}, "a processor's times would be filed as a GPU's"},
      {{"--backend", "nccl"}, "needs --device cuda"},
      {{"--backend", "nccl", "--device", "cuda", "--strategy", "ring"}, "needs --strategy all-reduce"},
      {{"--backend", "nccl", "--device", "cuda", "--grouping", "fusion"}, "works in host memory"},
  };
  for (const auto& [words, message] : cases) CHECK_THAT(refused(words), Catch::Contains(message));
}

TEST_CASE("A number that an option does not take is reported with what it takes") {
  const std::vector<std::pair<Words, std::string>> of_train = {
      {{"--batch", "0"}, "--batch: 0 found, a whole number above 0 expected"},
      {{"--batch", "-1"}, "--batch: -1 found, a whole number above 0 expected"},
      {{"--batch", "1.5"}, "--batch: \"1.5\" found, a whole number above 0 expected"},
      {{"--steps", "-1"}, "--steps: -1 found, a whole number of 0 or more expected"},
      {{"--ranks", "99999999999"}, "--ranks: 99999999999 found, a whole number above 0 and up to 2147483647 expected"},
      {{"--lr", "0"}, "--lr: 0 found, a number above 0 expected"},
      {{"--lr", "fast"}, "--lr: \"fast\" found, a number above 0 expected"},
      {{"--momentum", "1"}, "--momentum: 1 found, a number from 0 to below 1 expected"},
      {{"--weight-decay", "-1e-4"}, "--weight-decay: -1e-4 found, a number of 0 or more expected"},
      {{"--stall-limit", "0"}, "--stall-limit: 0 found, a number above 0 expected"},
  };
  for (const auto& [words, message] : of_train) CHECK(refused(words) == message);
  const std::vector<std::pair<Words, std::string>> of_measurements = {
      {{"layers", "lenet5", "--batch", "8,0"}, "--batch: 0 found, a whole number above 0 expected"},
      {{"layers", "lenet5", "--error", "2"}, "--error: 2 found, a number from 0 to 1 expected"},
      {{"layers", "lenet5", "--warm-up", "-1"}, "--warm-up: -1 found, a whole number of 0 or more expected"},
      {{"layers", "lenet5", "--device", "cdua"},
       "--device: \"cdua\" found, one of cpu, cuda expected; did you mean cuda?"},
      {{"link", "--ranks", "1"}, "--ranks: 1 found, a whole number from 2 to 1024 expected"},
      {{"collectives", "--seconds", "0"}, "--seconds: 0 found, a number above 0 expected"},
      {{"server", "--transport", "tcp"},
       "--transport: \"tcp\" found, one of nccl-ib, nccl-tcp, mpi-ib, mpi-tcp, shm expected"},
  };
  for (const auto& [words, message] : of_measurements) CHECK(refused_measurement(words) == message);
}
