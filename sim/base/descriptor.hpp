#pragma once
// File descriptors that close themselves, and whole reads and writes on them.

#include <cstddef>
#include <string>

namespace ddlsim {

class Descriptor {
public:
  Descriptor() = default;
  /// Throws std::system_error with errno when the number is negative, as a failed system call returns it.
  explicit Descriptor(int number);
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = none; }
  Descriptor& operator=(Descriptor&& other) noexcept;

  int number() const { return number_; }
  void close();

private:
  static constexpr int none = -1;
  int number_ = none;
};

/// Writes all bytes. Throws std::system_error. A reader that has closed its end does not kill this process (no
/// SIGPIPE).
void write_all(int to, const void* data, std::size_t size);

/// Appends the bytes that have arrived to `bytes` and waits for at least one; false at the end of the stream.
bool read_some(int from, std::string& bytes);

std::string read_all(int from);

/// make_narration() makes a file in memory that takes what a child prints; last_words() returns the end of its text.
Descriptor make_narration();
std::string last_words(int narration);

} // namespace ddlsim
