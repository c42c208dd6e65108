#include "sim/engine/child_process.hpp"

#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace ddlsim {
namespace {

/// How much of the child's last words a message repeats.
constexpr off_t longest_quote = 2000;

/// A file descriptor that closes itself.
class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {
    if (number < 0) throw std::system_error(errno, std::generic_category(), "simulation process");
  }
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

private:
  int number_;
};

void write_all(int to, const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(to, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw std::system_error(errno, std::generic_category(), "simulation process");
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

std::string read_all(int from) {
  std::string bytes;
  std::array<char, 65536> part{};
  while (true) {
    const ssize_t got = ::read(from, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category(), "simulation process");
    if (got == 0) return bytes;
    bytes.append(part.data(), static_cast<std::size_t>(got));
  }
}

/// Never returns. _exit, because exit handlers and static objects belong to the parent.
[[noreturn]] void be_the_child(int results, int narration, const std::function<std::vector<double>()>& work) {
  int status = 1;
  ::dup2(narration, STDOUT_FILENO);
  ::dup2(narration, STDERR_FILENO);
  try {
    const std::vector<double> values = work();
    write_all(results, values.data(), values.size() * sizeof(double));
    status = 0;
  } catch (const std::exception& error) {
    const std::string_view words = error.what();
    if (::write(narration, words.data(), words.size()) < 0) status = 2; // nobody is left to tell
  } catch (...) {
    status = 3;
  }
  ::_exit(status);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "simulation process");
  }
  return status;
}

std::string last_words(int narration) {
  const off_t end = ::lseek(narration, 0, SEEK_END);
  ::lseek(narration, std::max<off_t>(0, end - longest_quote), SEEK_SET);
  return read_all(narration);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return std::string("was killed by signal ") + ::strsignal(WTERMSIG(status));
  if (WIFEXITED(status)) return "ended with status " + std::to_string(WEXITSTATUS(status));
  return "did not end as a process should";
}

} // namespace

std::vector<double> run_in_child(const std::function<std::vector<double>()>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "simulation process");
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const Descriptor narration(::memfd_create("ddlsim-narration", MFD_CLOEXEC));
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "simulation process");
  if (child == 0) be_the_child(writing.number(), narration.number(), work);

  writing.close();
  const std::string bytes = read_all(reading.number());
  const int status = wait_for(child);
  if (status != 0 || bytes.size() % sizeof(double) != 0) {
    throw std::runtime_error("the simulation process " + how_it_ended(status) + ": " + last_words(narration.number()));
  }
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

} // namespace ddlsim
