#pragma once
// What a file of a Chakra execution trace is made of: nodes, as messages of Protocol Buffers.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

// Messages in the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding), as far as Chakra needs
// it.

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

// Nodes: the numbers of Chakra's schema (mlcommons/chakra, schema/protobuf/et_def.proto, 0.0.4).

enum class ChakraNodeType : std::uint64_t { compute = 4, send = 5, receive = 6, collective = 7 };

enum class ChakraCollective : std::uint64_t {
  all_reduce = 0,
  reduce = 1,
  all_gather = 2,
  broadcast = 5,
  reduce_scatter = 7
};

struct ChakraNode {
  std::uint64_t id = 0; ///< of no other node of the file
  std::string name;
  ChakraNodeType type = ChakraNodeType::compute;
  std::vector<std::uint64_t> data_deps{}; ///< nodes that it waits for
  std::uint64_t duration_us = 0;          ///< compute
  bool on_cpu = false;
  double size_bytes = 0;                                      ///< all others
  ChakraCollective collective = ChakraCollective::all_reduce; ///< collective
  std::string group{};                                        ///< collective: of ranks; "" for all
  int peer = 0;                                               ///< send and receive: rank of the other end
  int tag = 0;                                                ///< of the message: sender and receiver have the same
};

/// One file: what the trace is of, then its nodes.
std::string chakra_file(const std::string& about, const std::vector<ChakraNode>& nodes);

} // namespace ddlsim
