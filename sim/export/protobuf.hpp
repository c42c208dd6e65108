#pragma once
// Messages in the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding), as far as Chakra needs it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// The bytes of one message; fields are written in the order in which they are added.
class ProtobufMessage {
public:
  void add_number(int field, std::uint64_t value); ///< uint64, int64 and int32 from 0 on, bool, enum
  void add_numbers(int field, const std::vector<std::uint64_t>& values); ///< repeated and packed; nothing for none
  void add_text(int field, std::string_view text);
  void add_message(int field, const ProtobufMessage& message);

  const std::string& bytes() const { return bytes_; }

private:
  std::string bytes_;
};

/// The message with its length before it, as one of several in a file.
std::string length_and_bytes(const ProtobufMessage& message);

} // namespace ddlsim
