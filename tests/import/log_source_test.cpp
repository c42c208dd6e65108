#include "import/launcher_prefix.hpp"
#include "import/log_source.hpp"
#include "import/plain_text.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <zlib.h>
#include <zstd.h>

namespace {

using ddlsim::LogSource;
using ddlsim::without_prefix;
using ddlsim::test::mistakes_of;
using ddlsim::test::ScratchFile;

std::string packed_by_gzip(const std::string& text) {
  z_stream state{};
  REQUIRE(deflateInit2(&state, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&state, text.size()) + 64, '\0');
  std::string input = text;
  state.next_in = reinterpret_cast<Bytef*>(input.data());
  state.avail_in = static_cast<uInt>(input.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&state, Z_FINISH) == Z_STREAM_END);
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

std::string packed_by_zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

std::vector<std::string> lines_of(const std::string& content) {
  const ScratchFile file("run.log", content);
  LogSource source(file.path());
  std::vector<std::string> lines;
  while (const auto line = source.next_line())
    lines.push_back(std::to_string(line->number) + ":" + std::string(line->text));
  return lines;
}

std::string text_of(const std::string& content) {
  const ScratchFile file("run.log", content);
  return LogSource(file.path()).text();
}

std::string refusal_of(const std::string& content) {
  return mistakes_of([&] { text_of(content); });
}

/// Three megabytes of lines, none like another.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "step " + std::to_string(i * 7919) + " takes some time\n";
  return text;
}

} // namespace

TEST_CASE("what gzip or zstd packed is read as it was, several parts after each other too") {
  const auto text = long_text();
  CHECK(text_of(text) == text);
  CHECK(text_of(packed_by_gzip(text)) == text);
  CHECK(text_of(packed_by_zstd(text)) == text);
  CHECK(text_of(packed_by_gzip("one\n") + packed_by_gzip("two\n")) == "one\ntwo\n");
  CHECK(text_of(packed_by_zstd("one\n") + packed_by_zstd("two\n")) == "one\ntwo\n");
  CHECK(text_of(packed_by_gzip("one\n") + std::string(512, '\0')) == "one\n"); // a tape's padding
}

TEST_CASE("a packed file that is cut or broken, or packed by another program, is refused by what it is") {
  const auto text = long_text();
  for (auto packed : {packed_by_gzip(text), packed_by_zstd(text)}) {
    CHECK_THAT(refusal_of(packed.substr(0, packed.size() / 2)), Catch::Contains("ends early"));
    packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
    packed[packed.size() / 2 + 1] = static_cast<char>(packed[packed.size() / 2 + 1] ^ 0x55);
    CHECK(refusal_of(packed) != "");
  }
  CHECK_THAT(refusal_of("BZh91AY&SY"), Catch::Contains("bunzip2"));
  CHECK_THAT(refusal_of("\xFD"
                        "7zXZ and more"),
             Catch::Contains("unxz"));
  CHECK_THAT(refusal_of("PK\x03\x04 and more"), Catch::Contains("save the spreadsheet as CSV"));
}

TEST_CASE("a line ends in any of three ways, and states of a progress bar are lines of one number") {
  CHECK(lines_of("a\nb\r\nc") == std::vector<std::string>{"1:a", "2:b", "3:c"});
  CHECK(lines_of("a\r\n\r\nb\n") == std::vector<std::string>{"1:a", "2:", "3:b"});
  CHECK(lines_of("a\n10%\r20%\r\r30%\nb") == std::vector<std::string>{"1:a", "2:10%", "2:20%", "2:30%", "3:b"});
  CHECK(lines_of("1/9\b\b\b2/9\b\b\b3/9\nb") == std::vector<std::string>{"1:1/9", "1:2/9", "1:3/9", "2:b"});
}

TEST_CASE("lines come whole wherever the buffer ends") {
  const auto text = long_text();
  const ScratchFile file("run.log", text);
  LogSource source(file.path());
  std::string again;
  int lines = 0;
  while (const auto line = source.next_line()) {
    again += std::string(line->text) + "\n";
    CHECK(line->number == ++lines);
  }
  CHECK(again == text);
  const auto parts = lines_of(std::string((3U << 20U) + 5, 'x'));
  CHECK(parts.size() == 4); // of a mebibyte each, and the rest
}

TEST_CASE("colours, titles, zero bytes and bytes that are no text do not hide a line") {
  CHECK(lines_of("\x1B[31mloss\x1B[0m 1.5") == std::vector<std::string>{"1:loss 1.5"});
  CHECK(lines_of("\x1B]0;title\aloss") == std::vector<std::string>{"1:loss"});
  CHECK(lines_of(std::string("lo\0ss", 5)) == std::vector<std::string>{"1:loss"});
  CHECK(lines_of("caf\xE9 \xC3\xA9") == std::vector<std::string>{"1:caf? \xC3\xA9"});
  CHECK(lines_of("a\x1B") == std::vector<std::string>{"1:a"});
  CHECK(lines_of("a\x1B[") == std::vector<std::string>{"1:a"});
}

TEST_CASE("prefixes of launchers, containers and clocks are taken away, and the rank is kept") {
  struct Prefixed {
    const char* line;
    int rank;
  };
  for (const auto& [line, rank] :
       {Prefixed{"[rank3]: loss 1", 3}, Prefixed{"[default12]:loss 1", 12}, Prefixed{"[1,7]<stdout>:loss 1", 7},
        Prefixed{"[1,7]<stderr>: loss 1", 7}, Prefixed{" 5: loss 1", 5}, Prefixed{"[3] loss 1", -1},
        Prefixed{"(RayTrainWorker pid=71, ip=10.0.0.1) loss 1", -1}, Prefixed{"trainer-1  | loss 1", -1},
        Prefixed{"[pod/train-0/main] loss 1", -1}, Prefixed{"2026-11-29T10:00:00.123Z stdout F loss 1", -1},
        Prefixed{"2026-11-29 10:00:00,123 loss 1", -1}, Prefixed{"Nov 29 10:00:00 node1 sh[71]: loss 1", -1},
        Prefixed{"trainer_2 | [rank1]: loss 1", 1}, Prefixed{"loss 1", -1}}) {
    INFO(line);
    CHECK(ddlsim::trim(without_prefix(line).text) == "loss 1");
    CHECK(without_prefix(line).rank == rank);
  }
  for (const char* line : {"[batch=1/48]:", "Epoch: [0][1/9]", "10/100 [=====] 5ms/step", "(a) b", "iter 10: loss 2",
                           "a | b", "2026-11-29", "", ":", "[", "[]: a"}) {
    INFO(line);
    CHECK(without_prefix(line).text == line);
  }
}
