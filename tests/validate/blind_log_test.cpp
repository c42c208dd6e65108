#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "tests/base/temporary_folder.hpp"
#include "validate/blind/blind_log.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace ddlsim {
namespace {

using ddlsim_test::TemporaryFolder;

BlindEntry entry_of(const std::string& records, const std::string& answers) {
  BlindScore score{"training steps", BlindKnowledge::one_gpu, 8, 1, 0.2, 0.15, -0.1, 0.75, 0.3, {{"linear", 0.4}},
                   answers};
  return {"2026-11-29", "abc", "a table \"of\" runs (some/where)", "runs.jsonl", records, false, score};
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

void put(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

std::string mistake_of(const std::filesystem::path& file) {
  try {
    read_blind_log(file);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a blind log comes back as it was appended, and grows at its end", "[blind]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "blind.jsonl";
  CHECK(read_blind_log(file).empty());
  append_to_blind_log(file, {entry_of("r1", "a1")});
  const auto first = text_of(file);
  append_to_blind_log(file, {entry_of("r2", "a1"), entry_of("r1", "a2")});
  CHECK(text_of(file).starts_with(first));
  const auto log = read_blind_log(file);
  REQUIRE(log.size() == 3);
  CHECK(log[0].source == "a table \"of\" runs (some/where)");
  CHECK(log[0].score.known == BlindKnowledge::one_gpu);
  CHECK(log[0].score.bias == -0.1);
  CHECK(log[0].score.baselines.at("linear") == 0.4);
  CHECK(log[2].score.answers == "a2");
}

TEST_CASE("a blind log that was edited is refused at the line where it was", "[blind]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "blind.jsonl";
  append_to_blind_log(file, {entry_of("r1", "a"), entry_of("r2", "a"), entry_of("r3", "a")});
  const auto good = text_of(file);

  auto nicer = good;
  nicer.replace(nicer.find("\"mean_error\":0.2"), 16, "\"mean_error\":0.1");
  put(file, nicer);
  CHECK(mistake_of(file).find("blind.jsonl:1: /chain: ") != std::string::npos);
  CHECK(mistake_of(file).find("the log was edited") != std::string::npos);

  const auto second = good.find('\n') + 1;
  put(file, good.substr(second)); // the first line is taken out
  CHECK(mistake_of(file).find(":1: /chain: ") != std::string::npos);

  const auto third = good.find('\n', second) + 1;
  put(file, good.substr(0, second) + good.substr(third));
  CHECK(mistake_of(file).find(":2: /chain: ") != std::string::npos);
  CHECK_THROWS_AS(append_to_blind_log(file, {entry_of("r4", "a")}), UserError);
}

TEST_CASE("what was asked before with the same answers is not asked again", "[blind]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "blind.jsonl";
  append_to_blind_log(file, {entry_of("r1", "a1")});
  const auto before = text_of(file);
  CHECK_THROWS_WITH(append_to_blind_log(file, {entry_of("r1", "a1")}), Catch::Contains("asked before, on 2026-11-29"));
  CHECK(text_of(file) == before);
  const auto log = read_blind_log(file);
  CHECK(repeated_question(log, "r1", "abc"));
  CHECK_FALSE(repeated_question(log, "r1", "abd"));
  CHECK_FALSE(repeated_question(log, "r2", "abc"));
}

TEST_CASE("mistakes of a line are reported together", "[blind]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "blind.jsonl";
  put(file, R"({"date":"2026","points":0,"held":2,"known":"all","chain":"x"})"
            "\n");
  const auto said = mistake_of(file);
  for (const auto* where : {"/points", "/held", "/known", "/commit", "/kind"})
    CHECK(said.find(where) != std::string::npos);
}

TEST_CASE("files of one source that were asked together are a row of the table", "[blind]") {
  auto other = entry_of("r2", "a");
  other.score.mean_error = 0.4;
  other.score.baselines["linear"] = 0.6;
  auto chosen = entry_of("r1", "b");
  chosen.form_in_sight = true;
  chosen.score.refused = chosen.score.points;
  const auto table = blind_table({entry_of("r1", "a"), other, chosen});
  CHECK(
      table.find("| 2026-11-29 | a table \"of\" runs (some/where) | training steps | one GPU | 16, 2 refused | 30 | 15 "
                 "| -10 | 75 % | 30 | linear 50 |") != std::string::npos);
  CHECK(table.find("| 2026-11-29, form chosen in sight | ") != std::string::npos);
  CHECK(table.find("| 8, 8 refused | - | - |") != std::string::npos);
  CHECK(std::count(table.begin(), table.end(), '\n') == 4);
}

} // namespace
} // namespace ddlsim
