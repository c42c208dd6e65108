#include "sim/export/chakra_node.hpp"

#include "sim/predict/prediction.hpp"

#include <cmath>

namespace ddlsim {
namespace {

/// The encoding of a field's value.
enum class WireType : std::uint64_t { varint = 0, length_delimited = 2 };

/// Appends a number with seven bits a byte, the lowest first; the top bit of a byte says that more bytes follow.
void append_varint(std::string& bytes, std::uint64_t value) {
  constexpr std::uint64_t more = 0x80;
  for (; value >= more; value >>= 7U) bytes += static_cast<char>(value | more);
  bytes += static_cast<char>(value);
}

void append_tag(std::string& bytes, int field, WireType type) {
  append_varint(bytes, static_cast<std::uint64_t>(field) << 3U | static_cast<std::uint64_t>(type));
}

/// Field numbers of the messages that are written.
namespace field {
constexpr int attribute_name = 1;
constexpr int attribute_int32 = 7;
constexpr int attribute_int64 = 9;
constexpr int attribute_bool = 27;
constexpr int attribute_text = 29;
constexpr int metadata_version = 1;
constexpr int metadata_attribute = 2;
constexpr int node_id = 1;
constexpr int node_name = 2;
constexpr int node_type = 3;
constexpr int node_data_deps = 5;
constexpr int node_duration_us = 7;
constexpr int node_attribute = 10;
} // namespace field

constexpr const char* schema_version = "0.0.4";

ProtobufMessage attribute(const std::string& name, int kind, std::uint64_t value) {
  ProtobufMessage message;
  message.add_text(field::attribute_name, name);
  message.add_number(kind, value);
  return message;
}

ProtobufMessage text_attribute(const std::string& name, const std::string& value) {
  ProtobufMessage message;
  message.add_text(field::attribute_name, name);
  message.add_text(field::attribute_text, value);
  return message;
}

void add_message_attributes(ProtobufMessage& message, const ChakraNode& node) {
  const auto add = [&](const std::string& name, int kind, std::uint64_t value) {
    message.add_message(field::node_attribute, attribute(name, kind, value));
  };
  add("comm_size", field::attribute_int64, static_cast<std::uint64_t>(std::llround(node.size_bytes)));
  if (node.type == ChakraNodeType::collective) {
    add("comm_type", field::attribute_int64, static_cast<std::uint64_t>(node.collective));
    if (!node.group.empty()) message.add_message(field::node_attribute, text_attribute("pg_name", node.group));
    return;
  }
  const char* other_end = node.type == ChakraNodeType::send ? "comm_dst" : "comm_src";
  add(other_end, field::attribute_int32, static_cast<std::uint64_t>(node.peer));
  add("comm_tag", field::attribute_int32, static_cast<std::uint64_t>(node.tag));
}

ProtobufMessage to_message(const ChakraNode& node) {
  ProtobufMessage message;
  message.add_number(field::node_id, node.id);
  message.add_text(field::node_name, node.name);
  message.add_number(field::node_type, static_cast<std::uint64_t>(node.type));
  message.add_numbers(field::node_data_deps, node.data_deps);
  if (node.type == ChakraNodeType::compute) message.add_number(field::node_duration_us, node.duration_us);
  message.add_message(field::node_attribute, attribute("is_cpu_op", field::attribute_bool, node.on_cpu ? 1 : 0));
  if (node.type != ChakraNodeType::compute) add_message_attributes(message, node);
  return message;
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

std::string chakra_file(const std::string& about, const std::vector<ChakraNode>& nodes) {
  ProtobufMessage metadata;
  metadata.add_text(field::metadata_version, schema_version);
  metadata.add_message(field::metadata_attribute, text_attribute("ddlsim", version()));
  metadata.add_message(field::metadata_attribute, text_attribute("about", about));
  std::string bytes = length_and_bytes(metadata);
  for (const ChakraNode& node : nodes) bytes += length_and_bytes(to_message(node));
  return bytes;
}

} // namespace ddlsim
