#include "trainer/run_error.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace {

/// An empty folder, removed at the end of the test.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("ddltrain_output_file_" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }
  std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator());
  }
};

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("A file is written whole, replaces an old one, and leaves nothing beside it") {
  const Folder folder;
  const auto file = folder.path / "table.json";
  ddltrain::write_output_file(file, "a longer first text");
  ddltrain::write_output_file(file, "second");
  CHECK(text_of(file) == "second");
  CHECK(folder.entries() == 1);
}

TEST_CASE("A place that cannot be written is an error that names it and the cause") {
  const Folder folder;
  const auto missing = folder.path / "missing" / "table.json";
  CHECK_THROWS_WITH(ddltrain::write_output_file(missing, "text"),
                    Catch::Contains(missing.string()) && Catch::Contains("No such file or directory"));
  CHECK_THROWS_AS(ddltrain::write_output_file(folder.path, "text"), ddltrain::RunError);
  CHECK_THROWS_AS(ddltrain::write_output_file("/dev/full", "text"), ddltrain::RunError);
  CHECK(folder.entries() == 0);
}
