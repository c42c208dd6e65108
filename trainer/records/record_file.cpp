#include "trainer/records/record_file.hpp"

#include "trainer/files/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ddltrain {
namespace {

constexpr int kReadableByAll = 0644;

/// Returns 0, or the errno of the failure.
int write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t now = ::write(descriptor, text.data() + done, text.size() - done);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return errno;
    if (now == 0) return ENOSPC;
    done += static_cast<std::size_t>(now);
  }
  return 0;
}

} // namespace

RecordFile::RecordFile(const std::filesystem::path& file, const ContextRecord& context) : file_(file) {
  descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadableByAll);
  if (descriptor_ < 0) fail(errno);
  try {
    write_line(record_line(context));
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

RecordFile::~RecordFile() {
  ::close(descriptor_);
}

void RecordFile::write_line(const std::string& line) {
  const std::string text = line + "\n";
  const int error = write_all(descriptor_, text);
  if (error != 0) {
    // A pipe or device cannot be cut; there is nothing more to do for its reader.
    [[maybe_unused]] const int cut = ::ftruncate(descriptor_, written_bytes_);
    fail(error);
  }
  written_bytes_ += static_cast<std::int64_t>(text.size());
}

void RecordFile::fail(int error) {
  throw RunError("cannot write " + file_.string() + ": " + std::strerror(error) +
                 (written_bytes_ > 0 ? "; the lines written before are whole" : ""));
}

} // namespace ddltrain
