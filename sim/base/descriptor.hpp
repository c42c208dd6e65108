#pragma once
// File descriptors that close themselves, and whole reads and writes on them.

#include <cstddef>
#include <string>

namespace ddlsim {

class Descriptor {
public:
  Descriptor() = default;
  /// Takes over the descriptor. Throws std::system_error with errno when the number is negative, which is what a failed
  /// system call returns.
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

/// Writes all bytes. Throws std::system_error. If the reader has closed its end, this process gets that error and not
/// the signal SIGPIPE.
void write_all(int to, const void* data, std::size_t size);

/// Appends the bytes that have arrived to `bytes`, and waits for at least one. Returns false at the end of the stream.
bool read_some(int from, std::string& bytes);

std::string read_all(int from);

/// make_narration() makes a file in memory that takes what a child prints; last_words() returns the end of its text.
Descriptor make_narration();
std::string last_words(int narration);

} // namespace ddlsim
