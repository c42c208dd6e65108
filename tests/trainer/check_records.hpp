#pragma once
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

/// A file in the temporary folder, removed at the end.
struct TemporaryFile {
  explicit TemporaryFile(const std::string& name)
      : path(std::filesystem::temp_directory_path() / ("ddltrain_" + std::to_string(::getpid()) + "_" + name)) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::filesystem::path path;
};

/// Fails the test case unless `ddlsim check` accepts the file; warns where ddlsim is not built beside this test.
inline void check_with_ddlsim(const std::filesystem::path& records) {
  const auto ddlsim = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "ddlsim";
  if (!std::filesystem::exists(ddlsim)) {
    WARN("not checked: ddlsim is not built");
    return;
  }
  const std::string command = ddlsim.string() + " check --data " + DDLSIM_SOURCE_DIR + " " + records.string() +
                              " >/dev/null"; // what it finds wrong is on standard error
  CHECK(std::system(command.c_str()) == 0);
}
