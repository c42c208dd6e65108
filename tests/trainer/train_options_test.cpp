// What `ddltrain train` refuses before it starts anything.
#include "trainer/files/error.hpp"
#include "trainer/program/train_options_cli.hpp"

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

#include <algorithm>

namespace {

using Words = std::vector<std::string>;

/// The UsageError of this command line.
std::string refused(Words words) {
  CLI::App program;
  ddltrain::TrainArguments arguments;
  int status = 0;
  ddltrain::add_train(program, arguments, status);
  words.insert(words.begin(), "train");
  std::reverse(words.begin(), words.end()); // as CLI11 takes them
  try {
    program.parse(words);
  } catch (const ddltrain::UsageError& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("train refuses what cannot be, and says what to do") {
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"--strategy", "rong"}, "unknown --strategy \"rong\""},
      {{"--strategy", "ps", "--grouping", "fusion"}, "fusion is for all-reduces"},
      {{"--grouping", "fusion", "--overlap", "off"}, "fusion always overlaps"},
      {{"--model", "resnet50"}, "leaves the variant open"},
      {{"--async"}, "--async is for --strategy ps"},
      {{"--batch", "0"}, "--batch 0"},
      {{"--lr", "0"}, "--lr must be above 0"},
      {{"--replay", "x", "--data", "digits"}, "it learns nothing"},
      {{"--device", "tpu"}, "unknown --device \"tpu\""},
      {{"--backend", "gloo"}, "unknown --backend \"gloo\""},
      {{"--precision", "fp8"}, "unknown --precision \"fp8\""},
      {{"--precision", "amp"}, "--precision amp needs --device cuda"},
      {{"--device", "cuda", "--precision", "amp", "--strategy", "ps"}, "use bf16 or fp32"},
      {{"--device", "cuda", "--replay", "x"}, "use --device cpu"},
      {{"--backend", "nccl"}, "needs --device cuda"},
      {{"--backend", "nccl", "--device", "cuda", "--strategy", "ring"}, "needs --strategy all-reduce"},
      {{"--backend", "nccl", "--device", "cuda", "--grouping", "fusion"}, "works in host memory"},
  };
  for (const auto& [words, told] : cases) CHECK_THAT(refused(words), Catch::Contains(told));
}
