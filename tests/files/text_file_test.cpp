#include "sim/files/json_document.hpp"
#include "sim/files/text_file.hpp"
#include "tests/files/sample_files.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

using ddlsim::LineReader;
using ddlsim::read_text_file;
using Lines = std::vector<std::string>;

namespace {

Lines told(const std::filesystem::path& file) {
  return ddlsim_test::mistakes_of(file, [&] { read_text_file(file); });
}

} // namespace

TEST_CASE("a text file is read whole") {
  const ddlsim_test::TemporaryFolder folder;
  CHECK(read_text_file(folder.write("a", "")).empty());
  const std::string text(200'001, 'x');
  CHECK(read_text_file(folder.write("b", text + '\0' + text)) == text + '\0' + text);
}

TEST_CASE("what is no text file is refused") {
  const ddlsim_test::TemporaryFolder folder;
  folder.write("iris.json", "{}");
  CHECK(told(folder.path() / "iriss.json") ==
        Lines{"no such file; did you mean " + (folder.path() / "iris.json").string() + "?"});
  CHECK(told(folder.path() / "something") == Lines{"no such file; check the path"});
  CHECK(told(folder.path() / "nowhere" / "x.json") == Lines{"no such file, and no such folder; check the path"});
  CHECK(told(folder.path()) == Lines{"this is a folder; give a file in it"});
  CHECK(told("/dev/zero") == Lines{"this is a device or a pipe; give a plain file"});
}

TEST_CASE("a file one may not read is refused") {
  if (::geteuid() == 0) {
    WARN("skipped: root may read everything");
    return;
  }
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("secret", "x");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  CHECK(told(file) == Lines{"cannot be read: Permission denied; check its permissions"});
}

TEST_CASE("a document of 100 MB is refused by its size, not read") {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("large.json", "{");
  std::filesystem::resize_file(file, 100'000'000); // sparse
  CHECK(told(file) == Lines{"100000000 bytes found, at most 67108864 expected in one JSON document; split it, or write "
                            "records as JSON Lines"});
}

TEST_CASE("lines come one by one, of any length") {
  const ddlsim_test::TemporaryFolder folder;
  const std::string limit(ddlsim::max_line_bytes, 'x');
  LineReader lines(folder.write("a", "one\n\n" + limit + "\n" + limit + "y\nlast"));
  using Result = LineReader::Result;
  std::string line;
  CHECK((lines.next(line) == Result::line && line == "one"));
  CHECK((lines.next(line) == Result::line && line.empty()));
  CHECK((lines.next(line) == Result::line && line == limit));
  CHECK((lines.next(line) == Result::too_long && line == limit));
  CHECK((lines.next(line) == Result::line && line == "last"));
  CHECK(lines.next(line) == Result::end);
}

TEST_CASE("the last line may be too long, or the file empty") {
  const ddlsim_test::TemporaryFolder folder;
  std::string line;
  LineReader lines(folder.write("a", std::string(ddlsim::max_line_bytes + 1, 'x')));
  CHECK(lines.next(line) == LineReader::Result::too_long);
  CHECK(lines.next(line) == LineReader::Result::end);
  CHECK(LineReader(folder.write("b", "")).next(line) == LineReader::Result::end);
}
