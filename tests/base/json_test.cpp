#include "sim/base/error.hpp"
#include "sim/base/json.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using ddlsim::parse_json;

namespace {

std::string refusal(const std::string& text) {
  try {
    parse_json(text, "a.json");
  } catch (const ddlsim::UserError& error) {
    return error.what();
  }
  return "accepted";
}

struct Bad {
  std::string text;
  std::string says; ///< after "a.json: "
};

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[');
}

} // namespace

TEST_CASE("a good document is what it says") {
  const auto json =
      parse_json(R"({"a": [1, 2.5, -3, true, null, "\u00e9\n"], "b": {"c": 1e3}, "": 18446744073709551615})", "a.json");
  CHECK(json == nlohmann::json::parse(R"({"a":[1,2.5,-3,true,null,"é\n"],"b":{"c":1000.0},"":18446744073709551615})"));
  CHECK(parse_json("\xef\xbb\xbf{}", "a.json").is_object()); // a byte order mark is harmless
  CHECK(parse_json("3", "a.json") == 3);
}

TEST_CASE("texts that are no JSON are refused with their place") {
  const std::string empty = "the file is empty; a JSON object is expected (`ddlsim schema --help` names the kinds)";
  const Bad all[] = {
      {"", empty},
      {" \n\t\r\n", empty},
      {"{", "the text ends too early, at line 1, column 2: expected string literal; is the file truncated?"},
      {"{\"a\": [1,\n  2", "the text ends too early, at line 2, column 4: expected ']'; is the file truncated?"},
      {"{\"a\": \"xy", "the text ends too early, at line 1, column 10; is the file truncated?"},
      {"{\"a\": tru", "the text ends too early, at line 1, column 10; is the file truncated?"},
      {"{\"a\": 1,}",
       "line 1, column 9: not JSON at \"}\", expected string literal; check commas, quotes and brackets"},
      {"{\"a\" 1}", "line 1, column 6: not JSON at \"1\", expected ':'; check commas, quotes and brackets"},
      {"{'a': 1}", "line 1, column 2: not JSON at \"'\", expected string literal; check commas, quotes and brackets"},
      {"{\"a\": 1} x",
       "line 1, column 10: not JSON at \"x\", expected end of input; check commas, quotes and brackets"},
      {"{\"a\": 1}{}", "line 1, column 9: not JSON at \"{\", expected end of input; check commas, quotes and brackets"},
      {"// comment\n{}", "line 1, column 1: not JSON at \"/\"; check commas, quotes and brackets"},
      {"{\"a\": 0x10}", "line 1, column 7: not JSON at \"0x10\", expected '}'; check commas, quotes and brackets"},
      {"{\"a\": 01}", "line 1, column 7: not JSON at \"01\", expected '}'; check commas, quotes and brackets"},
  };
  for (const auto& bad : all) {
    INFO(bad.text);
    CHECK(refusal(bad.text) == "a.json: " + bad.says);
  }
}

TEST_CASE("numbers that are none are refused") {
  for (const char* word : {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf", "+inf"}) {
    INFO(word);
    CHECK_THAT(refusal(std::string("{\"a\":\n ") + word + "}"),
               Catch::Contains("NaN and infinity are not numbers of JSON; leave the field out") &&
                   Catch::Contains("line 2, column 2"));
  }
  CHECK(refusal("[1e999]") ==
        "a.json: line 1, column 2: the number \"1e999\" is too large to hold; check its exponent");
  CHECK(refusal("[-1e999]") ==
        "a.json: line 1, column 2: the number \"-1e999\" is too large to hold; check its exponent");
}

TEST_CASE("a document of more values than there should be memory for is refused") {
  std::string text = "[";
  for (int i = 0; i < 2'000'000; ++i) text += "{},"; // 6 MB of text
  CHECK(refusal(text + "0]") == "a.json: more than 2000000 values found; split the file");
}

TEST_CASE("every key given twice is reported, with its place") {
  CHECK(refusal(R"({"a": 1, "a": 2, "b": [{}, {"c": 1, "c": {"d": 1, "d": 2}}]})") ==
        "a.json: /a: the key is there twice; keep one of the two\n"
        "a.json: /b/1/c: the key is there twice; keep one of the two\n"
        "a.json: /b/1/c/d: the key is there twice; keep one of the two");
}

TEST_CASE("bytes that are no UTF-8 are refused with their place") {
  const Bad all[] = {{"{\"a\": \"\xff\"}", "byte 0xff at line 1, column 8"},
                     {"{\n\"a\": \"caf\xe9\"}", "byte 0xe9 at line 2, column 10"},    // Latin-1
                     {"\xff\xfe{\x01}\x01", "byte 0xff at line 1, column 1"},         // UTF-16
                     {"[\"\xc0\xaf\"]", "byte 0xc0 at line 1, column 3"},             // '/' too long
                     {"[\"\xe0\x80\xaf\"]", "byte 0xe0 at line 1, column 3"},         // the same
                     {"[\"\xed\xa0\x80\"]", "byte 0xed at line 1, column 3"},         // a surrogate
                     {"[\"\xf4\x90\x80\x80\"]", "byte 0xf4 at line 1, column 3"},     // beyond U+10FFFF
                     {"[\"\xe2\x82\"]", "byte 0xe2 at line 1, column 3"},             // cut off
                     {"[\"\xc3\xa9\xc3\xa9\xff\"]", "byte 0xff at line 1, column 5"}, // columns count characters
                     {std::string("{}\0{", 4), "byte 0x00 at line 1, column 3"}};     // ends no document
  for (const auto& bad : all) {
    INFO(bad.text);
    CHECK(refusal(bad.text) == "a.json: " + bad.says + " is not UTF-8 text; save the file as UTF-8");
  }
  CHECK(parse_json("[\"\xf0\x9f\x98\x80 \xe2\x82\xac \xed\x9f\xbf \xf4\x8f\xbf\xbf\"]", "a.json").size() == 1);
}

TEST_CASE("a bad byte is found wherever it stands") {
  for (const char bad : {'\0', '\xff'}) {
    for (std::size_t place = 0; place < 40; ++place) {
      std::string text(40, ' ');
      text[place] = bad;
      CHECK(refusal(text) == fmt::format("a.json: byte 0x{:02x} at line 1, column {} is not UTF-8 text; save the file "
                                         "as UTF-8",
                                         static_cast<unsigned char>(bad), place + 1));
    }
  }
}

TEST_CASE("nesting deeper than the limit is refused, a million deep without trouble") {
  CHECK(refusal(nested(64) + std::string(64, ']')) == "accepted");
  const std::string says =
      "a.json: lists and objects are nested deeper than 64 levels; ddlsim's files need 6, check the "
      "brackets";
  CHECK(refusal(nested(65) + std::string(65, ']')) == says);
  CHECK(refusal(nested(1'000'000)) == says);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  CHECK(refusal(objects) == says);
}

TEST_CASE("a line of JSON Lines is reported by its column") {
  try {
    ddlsim::parse_json_line("{\"a\": 1", "b.jsonl:12");
    FAIL("accepted");
  } catch (const ddlsim::UserError& error) {
    CHECK(std::string(error.what()) ==
          "b.jsonl:12: the text ends too early, at column 8: expected '}'; is the file truncated?");
  }
}

namespace ddlsim {

namespace {

nlohmann::json changed(const std::string& path, const std::string& value) {
  nlohmann::json document{{"name", "a"}, {"gpus", {1, 2}}, {"strategies", {{{"name", "ring"}}}}};
  apply_change(document, {path, value});
  return document;
}

} // namespace

TEST_CASE("a change replaces a field, or makes it", "[json-change]") {
  CHECK(changed("/name", "iris")["name"] == "iris");
  CHECK(changed("/gpus", "[4, 8]")["gpus"] == nlohmann::json({4, 8}));
  CHECK(changed("/strategies/0/name", "ps")["strategies"][0]["name"] == "ps");
  CHECK(changed("/seed", "7")["seed"] == 7);
  CHECK(changed("/gpus/2", "4")["gpus"] == nlohmann::json({1, 2, 4}));
  CHECK(changed("/gpus/-", "4")["gpus"] == nlohmann::json({1, 2, 4}));
}

TEST_CASE("a change that leads nowhere is a clear error", "[json-change]") {
  for (const std::string path : {"name", "/no/such", "/gpus/x", "/gpus/3", "/gpus/4000000000", "/name/first", ""})
    CHECK_THROWS_AS(changed(path, "1"), UserError);
}

} // namespace ddlsim

using ddlsim::Mistake;
using ddlsim::UserError;

TEST_CASE("a mistake is reported with the parts it has") {
  CHECK(to_text(Mistake{"a.json", "/gpus/3", "wrong"}) == "a.json: /gpus/3: wrong");
  CHECK(to_text(Mistake{"a.json", "", "wrong"}) == "a.json: wrong");
  CHECK(to_text(Mistake{"", "/gpus/3", "wrong"}) == "/gpus/3: wrong");
  CHECK(to_text(Mistake{"", "", "wrong"}) == "wrong");
}

TEST_CASE("a user's error is one line a mistake") {
  const UserError one("a.json", "/x", "wrong");
  CHECK(std::string(one.what()) == "a.json: /x: wrong");
  const UserError two({{"a.json", "/x", "wrong"}, {"a.json", "/y", "missing"}});
  CHECK(std::string(two.what()) == "a.json: /x: wrong\na.json: /y: missing");
  CHECK(two.mistakes().size() == 2);
  CHECK(two.mistakes()[1].path == "/y");
}
