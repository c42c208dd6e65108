#pragma once
// A reader of Chakra execution traces, written from the schema and not from our writer.

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ddlsim {

/// A message's fields by number: numbers, and texts or messages as bytes.
struct DecodedMessage {
  std::map<int, std::vector<std::uint64_t>> numbers;
  std::map<int, std::vector<std::string>> texts;
};

class WireReader {
public:
  explicit WireReader(const std::string& bytes) : bytes_(bytes) {}
  bool at_end() const { return next_ == bytes_.size(); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.at(next_++));
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
  }

  std::string block() {
    const std::size_t length = varint();
    if (length > bytes_.size() - next_) throw std::runtime_error("a length beyond the end");
    next_ += length;
    return bytes_.substr(next_ - length, length);
  }

  DecodedMessage message() {
    DecodedMessage decoded;
    while (!at_end()) {
      const std::uint64_t tag = varint();
      const int field = static_cast<int>(tag >> 3U);
      const auto type = tag & 7U;
      if (type == 0) decoded.numbers[field].push_back(varint());
      if (type == 2) decoded.texts[field].push_back(block());
      if (type != 0 && type != 2) throw std::runtime_error("a wire type that is not written");
    }
    return decoded;
  }

private:
  const std::string& bytes_;
  std::size_t next_ = 0;
};

struct DecodedNode {
  std::uint64_t id = 0;
  std::string name;
  std::uint64_t type = 0;
  std::vector<std::uint64_t> data_deps;
  std::uint64_t duration_us = 0;
  std::map<std::string, std::uint64_t> attributes; ///< those that are numbers
};

inline DecodedNode decode_node(const std::string& bytes) {
  auto fields = WireReader(bytes).message();
  DecodedNode node{fields.numbers[1].at(0), fields.texts[2].at(0), fields.numbers[3].at(0), {}, 0, {}};
  for (const auto& packed : fields.texts[5])
    for (WireReader reader(packed); !reader.at_end();) node.data_deps.push_back(reader.varint());
  if (!fields.numbers[7].empty()) node.duration_us = fields.numbers[7].front();
  for (const auto& text : fields.texts[10]) {
    auto attribute = WireReader(text).message();
    for (const int kind : {7, 9, 27}) // int32, int64, bool
      if (!attribute.numbers[kind].empty()) node.attributes[attribute.texts[1].at(0)] = attribute.numbers[kind].front();
  }
  return node;
}

/// The nodes of a file, behind its metadata, whose version must be the schema's.
inline std::vector<DecodedNode> decode_chakra(const std::string& file) {
  WireReader reader(file);
  const std::string head = reader.block();
  if (WireReader(head).message().texts[1].at(0) != "0.0.4") throw std::runtime_error("another version of the schema");
  std::vector<DecodedNode> nodes;
  while (!reader.at_end()) nodes.push_back(decode_node(reader.block()));
  return nodes;
}

} // namespace ddlsim
