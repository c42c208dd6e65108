#include "sim/base/json.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <functional>

using ddlsim::Dimension;
using ddlsim::JsonNode;
using ddlsim::Mistakes;
using nlohmann::json;

namespace {

/// What a reading of {"k": value} tells; without a value, of {}.
std::string reported(const std::string& value, const std::function<void(const JsonNode&)>& read) {
  const json document = json::parse(value.empty() ? "{}" : "{\"k\": " + value + "}");
  Mistakes mistakes("a.json");
  read(JsonNode(document, "/at", mistakes));
  std::string lines;
  for (const auto& mistake : mistakes.list()) lines += to_text(mistake) + "\n";
  return lines;
}

struct Case {
  std::string value;
  std::string says;
};

void check(const std::vector<Case>& cases, const std::function<void(const JsonNode&)>& read) {
  for (const auto& one : cases) {
    INFO(one.value);
    CHECK(reported(one.value, read) == (one.says.empty() ? "" : "a.json: /at/k: " + one.says + "\n"));
  }
}

} // namespace

TEST_CASE("texts") {
  check({{"\"x\"", ""},
         {"", "missing; give a text"},
         {"\"\"", "the text is empty; say what it is, or \"unknown\" where that is allowed"},
         {"12", "12 found, a text expected; write it in double quotes"},
         {"null", "null found, a text expected; write it in double quotes"},
         {"[1, 2]", "a list of 2 found, a text expected; write it in double quotes"},
         {"{}", "an object found, a text expected; write it in double quotes"}},
        [](const JsonNode& node) { node.text("k"); });
  check({{"", ""}, {"\"\"", ""}, {"true", "true found, a text expected; write it in double quotes"}},
        [](const JsonNode& node) { node.text_or("k", "x"); });
}

TEST_CASE("one of several texts") {
  check({{"\"ring\"", ""},
         {"", "missing; give one of ring, tree"},
         {"\"rings\"", "\"rings\" found, one of ring, tree expected; did you mean \"ring\"?"},
         {"\"star\"", "\"star\" found; give one of ring, tree"},
         {"3", "3 found; give one of ring, tree"}},
        [](const JsonNode& node) {
          node.one_of("k", {"ring", "tree"});
        });
  check({{"", ""}, {"\"star\"", "\"star\" found; give one of ring, tree"}}, [](const JsonNode& node) {
    CHECK(node.one_of_or("k", {"ring", "tree"}, "tree") != "ring");
  });
}

TEST_CASE("numbers") {
  check({{"0.5", ""},
         {"1", ""},
         {"", "missing; give a number, 0 to 1"},
         {"-0.5", "-0.5 is out of range; give 0 to 1"},
         {"1.01", "1.01 is out of range; give 0 to 1"},
         {"\"1\"", "\"1\" found, a number expected; write 0 to 1 without quotes or unit"},
         {"true", "true found, a number expected; write 0 to 1 without quotes or unit"}},
        [](const JsonNode& node) { node.number("k", 0, 1); });
  check({{"-1", "-1 is out of range; give 0 or more"}}, [](const JsonNode& node) { node.number_or("k", 3, 0, 1e300); });
  check({{"1e-9", ""},
         {"", "missing; give a number above 0"},
         {"0", "0 found; give a number above 0, without quotes or unit"},
         {"-2", "-2 found; give a number above 0, without quotes or unit"},
         {"\"2\"", "\"2\" found; give a number above 0, without quotes or unit"}},
        [](const JsonNode& node) { CHECK(node.positive("k") > 0); });
}

TEST_CASE("whole numbers") {
  check({{"3", ""},
         {"3.0", ""},
         {"", "missing; give a whole number, 1 to 8"},
         {"0", "0 is out of range; give 1 to 8"},
         {"9", "9 is out of range; give 1 to 8"},
         {"-3", "-3 is out of range; give 1 to 8"},
         {"2.5", "2.5 found, a whole number expected; give 1 to 8"},
         {"18446744073709551615", "18446744073709551615 is out of range; give 1 to 8"},
         {"1e300", "1e+300 found, a whole number expected; give 1 to 8"},
         {"\"3\"", "\"3\" found, a whole number expected; give 1 to 8"}},
        [](const JsonNode& node) { node.integer("k", 1, 8); });
  check({{"", ""}, {"9223372036854775807", ""}, {"-1", "-1 is out of range; give 0 or more"}},
        [](const JsonNode& node) { node.integer_or("k", 4, 0, INT64_MAX); });
}

TEST_CASE("true and false") {
  check({{"true", ""},
         {"false", ""},
         {"", "missing; give true or false"},
         {"\"yes\"", "\"yes\" found; give true or false, without quotes"},
         {"1", "1 found; give true or false, without quotes"}},
        [](const JsonNode& node) { node.boolean("k"); });
  check({{"", ""}}, [](const JsonNode& node) { CHECK(node.boolean_or("k", true)); });
}

TEST_CASE("quantities") {
  check({{"\"100 Gbps\"", ""},
         {"", "missing; give a quantity with its unit, like \"100 Gbps\""},
         {"100", "100 found, a quantity with its unit expected; write a text like \"100 Gbps\""},
         {"\"0 Gbps\"", "\"0 Gbps\" found; give more than 0"},
         {"\"-1 Gbps\"", "\"-1 Gbps\" is negative; give 0 or more"},
         {"\"nan Gbps\"", "\"nan Gbps\" is not a finite number; leave the field out when it is not known"}},
        [](const JsonNode& node) { node.quantity("k", Dimension::bandwidth); });
  check({{"\"0 us\"", ""}, {"", "missing; give a quantity with its unit, like \"1.5 us\""}},
        [](const JsonNode& node) { CHECK(node.quantity_or_zero("k", Dimension::time) == 0); });
  check({{"", ""}}, [](const JsonNode& node) { CHECK(node.quantity_or("k", Dimension::time, 7) == 7); });
}

TEST_CASE("lists of texts") {
  check({{"", ""}, {"[]", ""}, {"[\"a\"]", ""}, {"3", "3 found, a list expected; write [...]"}},
        [](const JsonNode& node) { node.texts_or_none("k"); });
  CHECK(reported("[\"a\", 3, \"\"]", [](const JsonNode& node) { node.texts_or_none("k"); }) ==
        "a.json: /at/k/1: 3 found, a text expected; write it in double quotes\n"
        "a.json: /at/k/2: \"\" found, a text expected; write it in double quotes\n");
}

TEST_CASE("unknown keys, with odd characters, are reported by their pointer") {
  const json document = json::parse("{\"good\": 1, \"goood\": 1, \"a/b~c\": 2, \"\\u001b[2J\": 3}");
  Mistakes mistakes("a.json");
  JsonNode(document, "", mistakes).allow_only({"good", "other"});
  REQUIRE(mistakes.list().size() == 3);
  CHECK(to_text(mistakes.list()[0]) == "a.json: /\\u001b[2J: unknown key; known here: good, other");
  CHECK(to_text(mistakes.list()[1]) == "a.json: /a~1b~0c: unknown key; known here: good, other");
  CHECK(to_text(mistakes.list()[2]) == "a.json: /goood: unknown key; did you mean \"good\"?");
}

TEST_CASE("an absent object is reported once, whatever is read of it") {
  CHECK(reported("", [](const JsonNode& node) {
          const JsonNode child = node.at("k");
          CHECK_FALSE(child.is_object());
          CHECK(child.elements().empty());
          child.text("name");
        }) == "a.json: /at/k: missing; give an object or a list\n");
}

TEST_CASE("a list longer than any file needs is refused whole") {
  json document;
  document["k"] = json::array();
  for (std::size_t i = 0; i <= ddlsim::max_document_elements; ++i) document["k"].push_back(0);
  Mistakes mistakes("a.json");
  CHECK(JsonNode(document, "", mistakes).list("k").empty());
  REQUIRE(mistakes.list().size() == 1);
  CHECK(mistakes.list()[0].what == "a list of 100001 found, at most 100000 expected; split the file");
}

TEST_CASE("the first 50 mistakes are reported, and how many more there are") {
  Mistakes mistakes("a.json");
  for (int i = 0; i < 123; ++i) mistakes.add("/x", "wrong");
  try {
    mistakes.throw_if_any();
    FAIL("nothing thrown");
  } catch (const ddlsim::UserError& error) {
    REQUIRE(error.mistakes().size() == 51);
    CHECK(to_text(error.mistakes()[50]) == "a.json: and 73 more; mend these first");
  }
}

TEST_CASE(
    "a document of another format or version is reported, and nothing else, and one without a version is read on") {
  const ddlsim_test::TemporaryFolder folder;
  const auto reported_of = [&](const std::string& content) {
    const auto file = folder.write("a.json", content);
    return ddlsim_test::mistakes_of(
        file, [&] { ddlsim::read_document(file, "ddlsim-model", 1, [](const JsonNode& root) { root.text("name"); }); });
  };
  using Lines = std::vector<std::string>;
  CHECK(reported_of(R"({"format": "ddlsim-model", "version": 1, "name": "x"})").empty());
  CHECK(reported_of(R"({"format": "ddlsim-model", "version": 1})") == Lines{"/name: missing; give a text"});
  CHECK(reported_of(R"({"format": "ddlsim-gpus", "version": 1})") ==
        Lines{"/format: \"ddlsim-gpus\" found, a file of format \"ddlsim-model\" is expected here"});
  CHECK(reported_of(R"({"format": "ddlsim-model", "version": 2})") ==
        Lines{"/version: 2 found; this ddlsim reads version 1"});
  CHECK(reported_of(R"({"format": "ddlsim-model"})") ==
        Lines{"/version: missing; give a whole number, 1 to 1000000", "/name: missing; give a text"});
  CHECK(reported_of("{}") ==
        Lines{"/format: missing; give a text", "/version: missing; give a whole number, 1 to 1000000"});
  CHECK(reported_of("[1]") == Lines{"a list of 1 found, an object expected; write {...}"});
}
