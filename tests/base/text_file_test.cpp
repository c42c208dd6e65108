#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/text_file.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <unistd.h>

namespace fs = std::filesystem;
using ddlsim::read_text_file;
using ddlsim::write_file;
using ddlsim_test::TemporaryFolder;

namespace {

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Files of this process may not grow beyond that, as on a full disk, while it lives.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
  rlimit old_{};
  void (*handler_)(int);
};

} // namespace

TEST_CASE("a file is written, and written over, with nothing left beside it") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.json";
  write_file(file, "one");
  CHECK(read_text_file(file) == "one");
  const std::string large(3'000'000, 'x');
  write_file(file, large);
  CHECK(read_text_file(file) == large);
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a file keeps its permissions, a new one gets the usual") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.json";
  write_file(file, "one");
  CHECK((fs::status(file).permissions() & fs::perms::owner_all) == (fs::perms::owner_read | fs::perms::owner_write));
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  write_file(file, "two");
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read));
}

TEST_CASE("a link stays a link") {
  const TemporaryFolder folder;
  const auto target = folder.write("real/a.json", "one");
  fs::create_symlink(target, folder.path() / "link.json");
  write_file(folder.path() / "link.json", "two");
  CHECK(fs::is_symlink(folder.path() / "link.json"));
  CHECK(read_text_file(target) == "two");
}

TEST_CASE("A device is written, not replaced by a file") {
  CHECK_NOTHROW(write_file("/dev/null", "x"));
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK_THROWS_AS(write_file("/dev/full", "x"), ddlsim::UserError);
  CHECK(std::filesystem::is_character_file("/dev/full"));
}

TEST_CASE("where nothing can be written, that is reported and the old file stays") {
  const TemporaryFolder folder;
  const auto reported = [](const fs::path& file) {
    return ddlsim_test::mistakes_of(file, [&] { write_file(file, "x"); });
  };
  using Lines = std::vector<std::string>;
  const std::string then = "; check that the folder is there, may be written and has room";
  CHECK(reported(folder.path() / "nowhere" / "a.json") == Lines{"cannot be written: No such file or directory" + then});
  CHECK(reported(folder.path()) == Lines{"this is a folder; give a file's name"});
  const auto file = folder.write("a.json", "old");
  {
    const FileSizeLimit full_disk(1000);
    CHECK(ddlsim_test::mistakes_of(file, [&] { write_file(file, std::string(5000, 'x')); }) ==
          Lines{"cannot be written: File too large" + then});
  }
  CHECK(read_text_file(file) == "old");
  CHECK(files_in(folder.path()) == 1);
}

using ddlsim::LineReader;
using ddlsim::read_text_file;
using Lines = std::vector<std::string>;

namespace {

Lines reported(const std::filesystem::path& file) {
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
  CHECK(reported(folder.path() / "iriss.json") ==
        Lines{"no such file; did you mean " + (folder.path() / "iris.json").string() + "?"});
  CHECK(reported(folder.path() / "something") == Lines{"no such file; check the path"});
  CHECK(reported(folder.path() / "nowhere" / "x.json") == Lines{"no such file, and no such folder; check the path"});
  CHECK(reported(folder.path()) == Lines{"this is a folder; give a file in it"});
  CHECK(reported("/dev/zero") == Lines{"this is a device or a pipe; give a plain file"});
}

TEST_CASE("a file one may not read is refused") {
  if (::geteuid() == 0) {
    WARN("skipped: root may read everything");
    return;
  }
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("secret", "x");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  CHECK(reported(file) == Lines{"cannot be read: Permission denied; check its permissions"});
}

TEST_CASE("a document of 100 MB is refused by its size, not read") {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("large.json", "{");
  std::filesystem::resize_file(file, 100'000'000); // sparse
  CHECK(reported(file) ==
        Lines{"100000000 bytes found, at most 67108864 expected in one JSON document; split it, or write "
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
