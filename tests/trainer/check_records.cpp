#include "tests/trainer/check_records.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <unistd.h>

namespace fs = std::filesystem;

TemporaryFile::TemporaryFile(const std::string& name)
    : path(fs::temp_directory_path() / ("ddltrain_" + std::to_string(::getpid()) + "_" + name)) {}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  fs::remove(path, ignored);
}

void check_with_ddlsim(const fs::path& records) {
  const fs::path ddlsim = fs::read_symlink("/proc/self/exe").parent_path() / "ddlsim";
  if (!fs::exists(ddlsim)) {
    WARN("not checked: ddlsim is not built");
    return;
  }
  const std::string command = ddlsim.string() + " check --data " + DDLSIM_SOURCE_DIR + " " + records.string() +
                              " >/dev/null"; // what it finds wrong is on standard error
  CHECK(std::system(command.c_str()) == 0);
}
