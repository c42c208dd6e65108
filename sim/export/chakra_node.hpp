#pragma once
// Nodes of a Chakra execution trace: the numbers of its schema (mlcommons/chakra, schema/protobuf/et_def.proto, 0.0.4).

#include <cstdint>
#include <string>
#include <vector>

namespace ddlsim {

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
