// libFuzzer's side: `fuzz_readers --target=NAME CORPUS...` feeds one row of the table, `--targets` lists the rows,
// `--seeds=FOLDER` writes the good inputs to FOLDER/NAME/. See tests/fuzz/fuzz.py.
#include "tests/fuzz/mutate.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace {

const ddlsim_fuzz::Target* chosen = nullptr;

const std::vector<ddlsim_fuzz::Target>& targets() {
  return ddlsim_fuzz::DDLSIM_FUZZ_TARGETS(); // of this program: readers or answers
}

void write_seeds(const std::filesystem::path& folder) {
  for (const auto& target : targets()) {
    std::filesystem::create_directories(folder / target.name);
    int number = 0;
    for (const auto& seed : target.seeds)
      std::ofstream(folder / target.name / ("seed-" + std::to_string(++number)), std::ios::binary) << seed;
  }
}

[[noreturn]] void end(int code) {
  std::fflush(stdout);
  std::_Exit(code);
}

void choose(const std::string& name) {
  for (const auto& target : targets())
    if (target.name == name) chosen = &target;
  if (chosen == nullptr) {
    std::fprintf(stderr, "no target is called %s; --targets lists them\n", name.c_str());
    end(2);
  }
}

} // namespace

// The three functions that libFuzzer looks for, by its names.

extern "C" int LLVMFuzzerInitialize(int* count, char*** words);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  for (int i = 1; i < *count; ++i) {
    const std::string_view word = (*words)[i];
    if (word == "--targets") {
      for (const auto& target : targets()) std::printf("%s\n", target.name.c_str());
      end(0);
    }
    if (word.starts_with("--seeds=")) {
      write_seeds(word.substr(std::strlen("--seeds=")));
      end(0);
    }
    if (word.starts_with("--target=")) choose(std::string(word.substr(std::strlen("--target="))));
  }
  if (chosen == nullptr) choose("");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->take(std::string(reinterpret_cast<const char*>(data), size)); // NOLINT: bytes as text
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  std::mt19937_64 random(seed);
  if (random() % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  const auto spoilt =
      ddlsim_fuzz::spoil_values(std::string(reinterpret_cast<const char*>(data), size), random); // NOLINT: the same
  if (spoilt.empty() || spoilt.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(spoilt.begin(), spoilt.end(), data);
  return spoilt.size();
}
