#include "sim/formats/field_table.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;

namespace {

struct Sugar {
  int spoons = 0;
  bool operator==(const Sugar&) const = default;
};

struct Order {
  std::string guest;
  std::string drink = "tea";
  double milk_bytes = 0;
  Sugar sugar{};
  std::vector<std::string> cakes{};
  bool is_decaffeinated = false;
};

FieldTable<Sugar> sugar_fields() {
  return {{required("spoons", &Sugar::spoons, whole_type(1, 9), "how many")}};
}

FieldTable<Order> order_fields() {
  return {{required("guest", &Order::guest, name_type(), "who orders"),
           required("drink", &Order::drink, word_type({"tea", "coffee"}), "what is drunk"),
           optional("milk", &Order::milk_bytes, quantity_type(Dimension::size), "none if not given")
               .only_where("drink", {"tea"}),
           required("decaffeinated", &Order::is_decaffeinated, boolean_type(), "without caffeine")
               .only_where("drink", {"coffee"}),
           optional("sugar", &Order::sugar, object_type(sugar_fields()), "none if not given"),
           optional("cakes", &Order::cakes, distinct(list_type(text_type(), 1, 3)), "beside the drink")},
          [](const JsonNode& object, Order& order) {
            if (order.drink == "coffee" && order.sugar.spoons > 4) object.mistake_at("sugar", "too sweet; give less");
          }};
}

Order order_of(const std::string& text, Mistakes& mistakes) {
  const auto json = parse_json(text, "order.json");
  return read_object(JsonNode(json, "", mistakes), order_fields());
}

std::vector<std::string> mistakes_in(const std::string& text) {
  Mistakes mistakes("order.json");
  order_of(text, mistakes);
  std::vector<std::string> texts;
  for (const auto& mistake : mistakes.list()) texts.push_back(mistake.path + ": " + mistake.what);
  return texts;
}

} // namespace

TEST_CASE("a table of fields reads what it writes, and leaves out what says nothing") {
  Mistakes mistakes("order.json");
  const std::string text = R"({"guest":"ada","drink":"tea","milk":"16 KB","sugar":{"spoons":2},"cakes":["tart"]})";
  const auto order = order_of(text, mistakes);
  CHECK(mistakes.empty());
  CHECK(order.milk_bytes == 16e3);
  CHECK(order.sugar.spoons == 2);
  CHECK(json_text(write_fields(order_fields(), order)) == text);
  CHECK(json_text(write_fields(order_fields(), Order{.guest = "bob"})) == R"({"guest":"bob","drink":"tea"})");
  CHECK(json_text(write_fields(order_fields(), Order{.guest = "bob", .drink = "coffee"})) ==
        R"({"guest":"bob","drink":"coffee","decaffeinated":false})");
}

TEST_CASE("a quantity is written so that it is read back exactly") {
  const auto type = quantity_type(Dimension::bandwidth);
  for (const double value : {12.5e9, 1.0 / 3, 123456789.0, 8e-3}) {
    const nlohmann::json written = type.write(value);
    Mistakes mistakes("a.json");
    CHECK(type.read(JsonNode(written, "", mistakes)) == value);
    CHECK(mistakes.empty());
  }
}

TEST_CASE("every mistake of an object is reported at once") {
  CHECK(mistakes_in(R"({"drink": "cofee", "sugar": {"spoons": 0}, "cakes": ["a", "", "a"], "sugr": 1})") ==
        std::vector<std::string>{"/sugr: unknown key; did you mean \"sugar\"?",
                                 "/guest: missing; give a name: letters, digits and . _ - +",
                                 "/drink: \"cofee\" found, one of tea, coffee expected; did you mean \"coffee\"?",
                                 "/sugar/spoons: 0 is out of range; give 1 to 9",
                                 "/cakes/1: the text is empty; say what it is, or \"unknown\" where that is allowed",
                                 "/cakes/2: \"a\" is there twice; keep one"});
  CHECK(mistakes_in("[]") == std::vector<std::string>{": a list of 0 found, an object expected; write {...}"});
}

TEST_CASE("a key with a condition is needed where it holds and refused elsewhere") {
  CHECK(mistakes_in(R"({"guest": "ada", "drink": "coffee", "milk": "1 B"})") ==
        std::vector<std::string>{
            "/milk: has no meaning with \"drink\": \"coffee\"; leave it out, or give \"drink\": \"tea\"",
            "/decaffeinated: missing; give true or false"});
  CHECK(mistakes_in(R"({"guest": "ada", "milk": "1 B"})") ==
        std::vector<std::string>{"/drink: missing; give one of tea, coffee"});
}

TEST_CASE("what fields say of each other is asked where each of them is good") {
  CHECK(mistakes_in(R"({"guest": "ada", "drink": "coffee", "decaffeinated": true, "sugar": {"spoons": 5}})") ==
        std::vector<std::string>{"/sugar: too sweet; give less"});
  CHECK(mistakes_in(R"({"guest": "ada", "drink": "coffee", "decaffeinated": 1, "sugar": {"spoons": 5}})").size() == 1);
}

TEST_CASE("the schema of a table says the same") {
  const auto schema = json_schema(order_fields().shape());
  CHECK(json_text(schema["required"]) == R"(["guest","drink"])");
  CHECK(schema["additionalProperties"] == false);
  CHECK(json_text(schema["properties"]["drink"]) == R"({"enum":["tea","coffee"],"description":"what is drunk"})");
  CHECK(json_text(schema["properties"]["cakes"]) ==
        R"({"type":"array","items":{"type":"string","minLength":1},"minItems":1,"maxItems":3,"uniqueItems":true,)"
        R"("description":"beside the drink"})");
  CHECK(json_text(schema["properties"]["decaffeinated"]) == "true");
  CHECK(json_text(schema["allOf"][2]) ==
        R"({"if":{"properties":{"drink":{"enum":["coffee"]}},"required":["drink"]},)"
        R"("then":{"properties":{"decaffeinated":{"type":"boolean","description":"without caffeine"}},)"
        R"("required":["decaffeinated"]}})");
  CHECK(json_text(schema["allOf"][3]) == R"({"if":{"properties":{"drink":{"enum":["coffee"]}},"required":["drink"]},)"
                                         R"("else":{"properties":{"decaffeinated":false}}})");
}

TEST_CASE("the list of a table's fields has a row a key, those of objects inside by their path") {
  CHECK(field_list(order_fields().shape().fields) ==
        "| key | value | when | what it is |\n|---|---|---|---|\n"
        "| `guest` | a name: letters, digits and . _ - + |  | who orders |\n"
        "| `drink` | one of tea, coffee |  | what is drunk |\n"
        "| `milk` | a quantity with its unit, like \"16 GiB\" | optional; `drink` tea | none if not given |\n"
        "| `decaffeinated` | true or false | `drink` coffee | without caffeine |\n"
        "| `sugar` | an object | optional | none if not given |\n"
        "| `sugar.spoons` | a whole number, 1 to 9 |  | how many |\n"
        "| `cakes` | a list of 1 to 3, each a text | optional | beside the drink |\n");
}

TEST_CASE("a long list of equal values is refused without comparing each with each") {
  std::string cakes = "[\"a\"";
  for (int i = 1; i < 100'000; ++i) cakes += ",\"a\"";
  const auto mistakes = mistakes_in(R"({"guest": "ada", "drink": "tea", "cakes": )" + cakes + "]}");
  CHECK(mistakes.size() == max_reported_mistakes);
}
