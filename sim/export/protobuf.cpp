#include "sim/export/protobuf.hpp"

namespace ddlsim {
namespace {

/// What follows a field's number.
enum class WireType : std::uint64_t { varint = 0, length_delimited = 2 };

/// Seven bits a byte, the lowest first; the top bit says that more follow.
void append_varint(std::string& bytes, std::uint64_t value) {
  constexpr std::uint64_t more = 0x80;
  for (; value >= more; value >>= 7U) bytes += static_cast<char>(value | more);
  bytes += static_cast<char>(value);
}

void append_tag(std::string& bytes, int field, WireType type) {
  append_varint(bytes, static_cast<std::uint64_t>(field) << 3U | static_cast<std::uint64_t>(type));
}

} // namespace

void ProtobufMessage::add_number(int field, std::uint64_t value) {
  append_tag(bytes_, field, WireType::varint);
  append_varint(bytes_, value);
}

void ProtobufMessage::add_numbers(int field, const std::vector<std::uint64_t>& values) {
  if (values.empty()) return;
  std::string packed;
  for (const std::uint64_t value : values) append_varint(packed, value);
  add_text(field, packed);
}

void ProtobufMessage::add_text(int field, std::string_view text) {
  append_tag(bytes_, field, WireType::length_delimited);
  append_varint(bytes_, text.size());
  bytes_ += text;
}

void ProtobufMessage::add_message(int field, const ProtobufMessage& message) {
  add_text(field, message.bytes_);
}

std::string length_and_bytes(const ProtobufMessage& message) {
  std::string bytes;
  append_varint(bytes, message.bytes().size());
  return bytes + message.bytes();
}

} // namespace ddlsim
