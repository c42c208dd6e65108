#include "tests/base/temporary_folder.hpp"
#include "trainer/run_error.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <iterator>

namespace {

std::ptrdiff_t entries(const ddlsim_test::TemporaryFolder& folder) {
  return std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator());
}

} // namespace

TEST_CASE("A file is written whole, replaces an old one, and leaves nothing beside it") {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.path() / "table.json";
  ddltrain::write_output_file(file, "a longer first text");
  ddltrain::write_output_file(file, "second");
  CHECK(ddlsim_test::text_of(file) == "second");
  CHECK(entries(folder) == 1);
}

TEST_CASE("A place that cannot be written is an error that names it and the cause") {
  const ddlsim_test::TemporaryFolder folder;
  const auto missing = folder.path() / "missing" / "table.json";
  CHECK_THROWS_WITH(ddltrain::write_output_file(missing, "text"),
                    Catch::Contains(missing.string()) && Catch::Contains("No such file or directory"));
  CHECK_THROWS_AS(ddltrain::write_output_file(folder.path(), "text"), ddltrain::RunError);
  CHECK_THROWS_AS(ddltrain::write_output_file("/dev/full", "text"), ddltrain::RunError);
  CHECK(entries(folder) == 0);
}
