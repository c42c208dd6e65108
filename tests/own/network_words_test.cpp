#include "own/network_words.hpp"
#include "sim/base/error.hpp"

#include <catch2/catch.hpp>

using ddlsim::network_in;

namespace {

std::string refused_network(const std::string& text) {
  std::vector<std::string> notes;
  try {
    network_in(text, notes);
  } catch (const ddlsim::UserError& error) {
    return error.what();
  }
  return "";
}

struct NetworkCase {
  const char* text;
  const char* kind;
  int ports;
  const char* rate;
  std::size_t notes;
};

} // namespace

TEST_CASE("a node's network is read as people and clouds write it") {
  const NetworkCase all[] = {{"8x400 Gbps ib", "ib", 8, "400 Gbps", 0},
                             {"2x100 Gb/s ib", "ib", 2, "100 Gbps", 0},
                             {"2x100 Gbit/s InfiniBand", "ib", 2, "100 Gbps", 0},
                             {"8 x 400 GBit/s RoCEv2", "roce", 8, "400 Gbps", 0},
                             {"8x400", "ib", 8, "400 Gbps", 2},
                             {"8x400 Gbps", "ib", 8, "400 Gbps", 1},
                             {"8xNDR", "ib", 8, "400 Gbps", 0},
                             {"ndr", "ib", 1, "400 Gbps", 0},
                             {"4x HDR InfiniBand", "ib", 4, "200 Gbps", 0},
                             {"HDR100", "ib", 1, "100 Gbps", 0},
                             {"2xEDR", "ib", 2, "100 Gbps", 0},
                             {"1xFDR ib", "ib", 1, "56 Gbps", 0},
                             {"8xXDR", "ib", 8, "800 Gbps", 0},
                             {"200G RoCE", "roce", 1, "200 Gbps", 0},
                             {"2x25GbE", "ethernet", 2, "25 Gbps", 0},
                             {"10 GbE", "ethernet", 1, "10 Gbps", 0},
                             {"4x200 Gb/s HDR", "ib", 4, "200 Gbps", 0},
                             {"32x100 Gbps EFA", "efa", 32, "100 Gbps", 0},
                             {"2x12.5 GB/s ib", "ib", 2, "100 Gbps", 0},
                             {"8x400 GB/s ib", "ib", 8, "3200 Gbps", 1},
                             {"1x1 Gbps eth", "ethernet", 1, "1 Gbps", 0}};
  for (const auto& one : all) {
    INFO(one.text);
    std::vector<std::string> notes;
    const auto network = network_in(one.text, notes);
    CHECK(network.kind == one.kind);
    CHECK(network.ports == one.ports);
    CHECK(network.rate == one.rate);
    CHECK(notes.size() == one.notes);
  }
}

TEST_CASE("what leaves a network open is asked, and never guessed eight times too fast") {
  CHECK_THAT(refused_network("2x100 gb/s ib"), Catch::Contains("write GB/s (bytes) or Gb/s (bits)"));
  CHECK_THAT(refused_network("2x100 GBps ib"), Catch::Contains("write GB/s (bytes) or Gb/s (bits)"));
  CHECK_THAT(refused_network("2x25 Gbps"), Catch::Contains("has no kind; add one of ib, roce, efa, ethernet"));
  CHECK_THAT(refused_network("0x400 Gbps ib"), Catch::Contains("ports expected"));
  for (const char* text : {"", " ", "ib", "x", "8x", "fast ib", "-8x400 Gbps ib", "8x400 parsecs ib", "8x-400 Gbps ib",
                           "9999999999x400 Gbps ib", "\x1b[31m ib", "8x400 Gbps \xff", "NaN Gbps ib"}) {
    INFO(text);
    CHECK_FALSE(refused_network(text).empty());
  }
}
