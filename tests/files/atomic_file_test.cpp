#include "sim/files/atomic_file.hpp"
#include "sim/files/json_document.hpp"
#include "tests/files/sample_files.hpp"

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include <csignal>

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

TEST_CASE("where nothing can be written, that is told and the old file stays") {
  const TemporaryFolder folder;
  const auto told = [](const fs::path& file) { return ddlsim_test::mistakes_of(file, [&] { write_file(file, "x"); }); };
  using Lines = std::vector<std::string>;
  const std::string then = "; check that the folder is there, may be written and has room";
  CHECK(told(folder.path() / "nowhere" / "a.json") == Lines{"cannot be written: No such file or directory" + then});
  CHECK(told(folder.path()) == Lines{"this is a folder; give a file's name"});
  const auto file = folder.write("a.json", "old");
  {
    const FileSizeLimit full_disk(1000);
    CHECK(ddlsim_test::mistakes_of(file, [&] { write_file(file, std::string(5000, 'x')); }) ==
          Lines{"cannot be written: File too large" + then});
  }
  CHECK(read_text_file(file) == "old");
  CHECK(files_in(folder.path()) == 1);
}
