#include "sim/base/descriptor.hpp"

#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <unistd.h>

namespace ddlsim {
namespace {

/// Number of bytes from the end of a child's output that a message repeats.
constexpr off_t longest_quote = 2000;

[[noreturn]] void throw_errno() {
  throw std::system_error(errno, std::generic_category(), "simulation process");
}

} // namespace

Descriptor::Descriptor(int number) : number_(number) {
  if (number < 0) throw_errno();
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = none;
}

void write_all(int to, const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    ssize_t written = ::send(to, next, size, MSG_NOSIGNAL);
    if (written < 0 && errno == ENOTSOCK) written = ::write(to, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw_errno();
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

bool read_some(int from, std::string& bytes) {
  std::array<char, 65536> part; // left without zeros, because this is called again and again
  while (true) {
    const ssize_t got = ::read(from, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno();
    bytes.append(part.data(), static_cast<std::size_t>(got));
    return got > 0;
  }
}

std::string read_all(int from) {
  std::string bytes;
  while (read_some(from, bytes)) {
  }
  return bytes;
}

Descriptor make_narration() {
  return Descriptor(::memfd_create("ddlsim-narration", MFD_CLOEXEC));
}

std::string last_words(int narration) {
  const off_t end = ::lseek(narration, 0, SEEK_END);
  ::lseek(narration, std::max<off_t>(0, end - longest_quote), SEEK_SET);
  return read_all(narration);
}

} // namespace ddlsim
