#include "sim/formats/answer_fields.hpp"
#include "sim/formats/folded_table.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;

namespace {

struct Stop {
  std::string town;
  int minutes = 0;
};

struct Train {
  std::string name;
  std::string kind;
  std::vector<Stop> stops{};
  bool is_late = false;
};

struct Timetable {
  std::vector<Train> trains;
};

FieldTable<Stop> stop_fields() {
  return {{required("town", &Stop::town, text_type(), "where").shared(),
           required("minutes", &Stop::minutes, whole_type(0, 60), "how long")}};
}

FieldTable<Train> train_fields() {
  const auto stops = [](const Train& train) { return static_cast<int>(train.stops.size()); };
  return {{required("name", &Train::name, text_type(), "what it is called"),
           required("kind", &Train::kind, text_type(), "express or local").shared(),
           required("stops", &Train::stops, list_type(object_type(stop_fields())), "on its way"),
           computed<Train>("count", stops, number_of_things(), "of stops"),
           optional("late", &Train::is_late, boolean_type(), "false if not given")}};
}

const FieldTable<Timetable>& timetable_fields() {
  static const FieldTable<Timetable> table{
      {required("trains", &Timetable::trains, table_type(object_type(train_fields())), "of a day")}};
  return table;
}

const Timetable sample{{{"A", "express", {{"Mons", 2}}, true}, {"B", "express", {{"Mons", 3}, {"Huy", 1}}}}};
const char* const sample_text =
    R"({"trains":{"columns":["name","kind@",{"stops":["town@","minutes"]},"count","late"],)"
    R"("rows":[["A",0,[[1,2]],1,true],["B",0,[[1,3],[2,1]],2]]},"shared":["express","Mons","Huy"]})";

std::string folded(const Timetable& timetable) {
  return json_text(fold_tables(write_fields(timetable_fields(), timetable), timetable_fields().shape()));
}

Timetable unfolded(const nlohmann::json& document, Mistakes& mistakes) {
  const JsonNode root(document, "", mistakes);
  const auto lists = unfold_tables(root, timetable_fields().shape());
  return mistakes.empty() ? read_object(root.with(lists), timetable_fields()) : Timetable{};
}

std::vector<std::string> mistakes_of(const std::string& pointer, const nlohmann::json& value) {
  auto document = parse_json(sample_text, "a.json");
  document[nlohmann::json::json_pointer(pointer)] = value;
  Mistakes mistakes("a.json");
  unfolded(document, mistakes);
  std::vector<std::string> texts;
  for (const auto& one : mistakes.list()) texts.push_back(one.path + ": " + one.what);
  return texts;
}

} // namespace

TEST_CASE("a table has its columns once, and its shared values once") {
  CHECK(folded(sample) == sample_text);
  Mistakes mistakes("a.json");
  const auto back = unfolded(parse_json(sample_text, "a.json"), mistakes);
  CHECK(mistakes.empty());
  CHECK(folded(back) == sample_text);
  CHECK(back.trains[1].stops[1].town == "Huy");
}

TEST_CASE("a mistake in a row is at the path that the object has in a list") {
  using Texts = std::vector<std::string>;
  CHECK(mistakes_of("/trains/rows/1/2/0/1", 61) ==
        Texts{"/trains/1/stops/0/minutes: 61 is out of range; give 0 to 60"});
  CHECK(mistakes_of("/trains/rows/0/1", 7) ==
        Texts{"/trains/rows/0/1: 7 found for kind; give a position among the 3 \"shared\" values, from 0"});
  CHECK(mistakes_of("/trains/rows/0/3", "one") ==
        Texts{"/trains/0/count: \"one\" found, a whole number expected; give 0 to 2147483647"}); // checked, not kept
  CHECK(mistakes_of("/trains/columns/0", "title").size() == 1);
}

TEST_CASE("the schema of a table has its columns as they are, and rows up to the last required one") {
  const auto schema = json_schema(timetable_fields().shape())["properties"]["trains"]["properties"];
  CHECK(json_text(schema["columns"]["const"]) == R"(["name","kind@",{"stops":["town@","minutes"]},"count","late"])");
  const auto row = schema["rows"]["items"];
  CHECK(row["minItems"] == 4);
  CHECK(json_text(row["items"][1]) == R"({"type":"integer","minimum":0,"description":"express or local"})");
  CHECK(row["items"][2]["items"]["minItems"] == 2);
  CHECK(json_text(row["items"][4]["anyOf"]) == R"([{"type":"boolean"},{"type":"null"}])");
}

TEST_CASE("the list of keys marks the columns that have positions") {
  CHECK(field_list(timetable_fields().shape().fields) ==
        "| key | value | when | what it is |\n|---|---|---|---|\n"
        "| `trains` | a table: its columns and rows |  | of a day |\n"
        "| `trains.name` | a text |  | what it is called |\n"
        "| `trains.kind@` | a text |  | express or local |\n"
        "| `trains.stops` | a list, each an object |  | on its way |\n"
        "| `trains.stops.town@` | a text |  | where |\n"
        "| `trains.stops.minutes` | a whole number, 0 to 60 |  | how long |\n"
        "| `trains.count` | a whole number, 0 or more |  | of stops |\n"
        "| `trains.late` | true or false | optional | false if not given |\n");
}
