#pragma once
// The parts of a Chakra execution trace file: nodes, encoded as messages of Protocol Buffers.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

// Messages in the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding), as far as Chakra needs
// it.

/// Builds the bytes of one message; fields are written in the order in which they are added.
class ProtobufMessage {
public:
  /// adds a uint64, bool, enum, or an int64 or int32 that is not negative
  void add_number(int field, std::uint64_t value);
  /// adds a repeated and packed field; adds nothing for an empty list
  void add_numbers(int field, const std::vector<std::uint64_t>& values);
  void add_text(int field, std::string_view text);
  void add_message(int field, const ProtobufMessage& message);

  const std::string& bytes() const { return bytes_; }

private:
  std::string bytes_;
};

/// Returns the message preceded by its length, as in a file with several messages.
std::string length_and_bytes(const ProtobufMessage& message);

// The nodes of a trace. The numbers are those of Chakra's schema (mlcommons/chakra, schema/protobuf/et_def.proto,
// 0.0.4).

enum class ChakraNodeType : std::uint64_t { compute = 4, send = 5, receive = 6, collective = 7 };

enum class ChakraCollective : std::uint64_t {
  all_reduce = 0,
  reduce = 1,
  all_gather = 2,
  broadcast = 5,
  reduce_scatter = 7
};

struct ChakraNode {
  std::uint64_t id = 0; ///< unique in the file
  std::string name;
  ChakraNodeType type = ChakraNodeType::compute;
  std::vector<std::uint64_t> data_deps{}; ///< nodes that it waits for
  std::uint64_t duration_us = 0;          ///< duration of a compute node
  bool on_cpu = false;
  double size_bytes = 0;                                      ///< bytes of a node of another type
  ChakraCollective collective = ChakraCollective::all_reduce; ///< operation of a collective node
  std::string group{};                                        ///< group of ranks of a collective node; "" for all ranks
  int peer = 0;                                               ///< rank at the other end of a send or receive
  int tag = 0;                                                ///< tag of a send and its receive, which have the same
};

/// Returns one file: a description of the trace, then its nodes.
std::string chakra_file(const std::string& about, const std::vector<ChakraNode>& nodes);

} // namespace ddlsim
