#pragma once
// File descriptors that close themselves, and whole reads and writes on them.

#include <cstddef>
#include <string>

namespace ddlsim {

class Descriptor {
public:
  Descriptor() = default;
  /// Throws std::system_error with errno where the number is negative: what a failed system call returns.
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

/// Throws std::system_error. Nobody who has hung up ends this process.
void write_all(int to, const void* data, std::size_t size);

/// Appends what is there, waiting for at least a byte; false at the end.
bool read_some(int from, std::string& bytes);

std::string read_all(int from);

/// A file in memory for what a child prints, and the end of what is in it.
Descriptor make_narration();
std::string last_words(int narration);

} // namespace ddlsim
