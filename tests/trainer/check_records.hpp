#pragma once
#include <filesystem>
#include <string>

/// A file in the temporary folder, removed at the end.
struct TemporaryFile {
  explicit TemporaryFile(const std::string& name);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::filesystem::path path;
};

/// Fails the test case unless `ddlsim check` accepts the file; warns where ddlsim is not built beside this test.
void check_with_ddlsim(const std::filesystem::path& records);
