#pragma once
// What a piece of work prints.

#include <cstdio>
#include <stdexcept>
#include <unistd.h>

namespace ddlsim_test {

/// Bytes that reach this process's standard output and error while `work` runs.
template <typename Work> long bytes_printed(Work work) {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) throw std::runtime_error("no temporary file");
  std::fflush(nullptr);
  const int output = ::dup(STDOUT_FILENO);
  const int error = ::dup(STDERR_FILENO);
  ::dup2(::fileno(file), STDOUT_FILENO);
  ::dup2(::fileno(file), STDERR_FILENO);
  work();
  std::fflush(nullptr);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(error, STDERR_FILENO);
  ::close(output);
  ::close(error);
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  std::fclose(file);
  return size;
}

} // namespace ddlsim_test
