// The fuzzers' tables without libFuzzer: what `./run tests` runs of them. Hundreds of spoilt copies of each good input,
// the same in every run, and every input that a fuzzer once found.
#include "sim/base/json.hpp"
#include "tests/fuzz/mutate.hpp"
#include "tests/fuzz/target.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace {

using ddlsim_fuzz::Target;

const char* const stated_tries = std::getenv("DDLSIM_FUZZ_TRIES");
const char* const stated_targets = std::getenv("DDLSIM_FUZZ_TARGETS"); // names with commas between them; all without it

/// What takes seconds, under the sanitizers half a minute, or as many as DDLSIM_FUZZ_TRIES says.
int tries_of(int usual) {
  return stated_tries == nullptr ? usual : std::atoi(stated_tries);
}

bool is_asked_for(const Target& target) {
  return stated_targets == nullptr ||
         (std::string(",") + stated_targets + ",").find("," + target.name + ",") != std::string::npos;
}

void check_seeds(const std::vector<Target>& targets) {
  for (const auto& target : targets)
    for (const auto& seed : target.seeds) {
      INFO(target.name << " reads " << seed);
      CHECK(target.take(seed));
    }
}

struct Count {
  long tries = 0;
  long accepted = 0;
};

/// A Fault, or anything else that is thrown, ends the test with the input in its message.
Count spoil_seeds(const Target& target, int tries) {
  Count count;
  const auto start = std::clock();
  std::mt19937_64 random(target.name.size()); // the same in every run
  for (int i = 0; i < tries; ++i) {
    const auto& seed = target.seeds[static_cast<std::size_t>(i) % target.seeds.size()];
    std::string bad = i % 2 == 0 ? ddlsim_fuzz::spoil_values(seed, random) : "";
    if (bad.empty()) bad = ddlsim_fuzz::spoil_bytes(seed, random);
    INFO(target.name << " reads " << bad);
    const bool accepted = target.take(bad); // not inside CHECK, which would catch
    ++count.tries;
    count.accepted += accepted ? 1 : 0;
  }
  const double cpu_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (stated_tries != nullptr)
    WARN(target.name << ": " << count.tries << " inputs, " << count.accepted << " accepted, " << cpu_s << " s of CPU");
  return count;
}

/// How many of these targets were asked for.
int spoil_each(const std::vector<Target>& targets, int tries) {
  int asked = 0;
  for (const auto& target : targets) {
    if (!is_asked_for(target)) continue;
    ++asked;
    const auto count = spoil_seeds(target, tries);
    INFO(target.name);
    CHECK(count.accepted > 0); // some changes, in the words of a note, are harmless
  }
  return asked;
}

} // namespace

TEST_CASE("each reader accepts its good inputs", "[readers]") {
  check_seeds(ddlsim_fuzz::reader_targets());
  check_seeds(ddlsim_fuzz::trainer_targets());
}

TEST_CASE("each reader keeps its word for spoilt inputs", "[readers]") {
  const int asked = spoil_each(ddlsim_fuzz::reader_targets(), tries_of(300));
  CHECK(asked + spoil_each(ddlsim_fuzz::trainer_targets(), tries_of(300)) > 0);
}

TEST_CASE("each question of good inputs is answered", "[answers]") {
  check_seeds(ddlsim_fuzz::answer_targets());
}

TEST_CASE("whatever check accepts of spoilt inputs is answered, by numbers in order", "[answers]") {
  CHECK(spoil_each(ddlsim_fuzz::answer_targets(), tries_of(60)) > 0);
}

TEST_CASE("what a fuzzer once found is read or refused", "[readers]") {
  const auto found = std::filesystem::path(DDLSIM_SOURCE_DIR) / "tests/fuzz/found";
  int read = 0;
  for (const auto* targets :
       {&ddlsim_fuzz::reader_targets(), &ddlsim_fuzz::trainer_targets(), &ddlsim_fuzz::answer_targets()})
    for (const auto& target : *targets) {
      if (!std::filesystem::is_directory(found / target.name)) continue;
      for (const auto& file : std::filesystem::directory_iterator(found / target.name)) {
        INFO(file.path());
        target.take(ddlsim::read_text_file(file.path()));
        ++read;
      }
    }
  CHECK(read > 0);
}
