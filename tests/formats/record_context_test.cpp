#include "sim/formats/record.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

using ddlsim::read_measurements;
using ddlsim_test::sample_context;
using ddlsim_test::sample_record;
using nlohmann::json;
using Lines = std::vector<std::string>;

namespace {

/// Mistakes of a file with these lines, each beginning with ":LINE: ".
Lines context_mistakes(const std::string& content) {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("a.jsonl", content);
  return ddlsim_test::mistakes_of(file, [&] { read_measurements(file); });
}

std::string after_a_context(const std::string& lines) {
  return sample_context().dump() + "\n" + lines + "\n";
}

} // namespace

TEST_CASE("what is wrong with a context is reported") {
  const auto reported_of_context = [](const ddlsim_test::BrokenFile& spoilt) {
    return context_mistakes(ddlsim_test::spoil(sample_context(), spoilt).dump());
  };
  const std::vector<ddlsim_test::BrokenFile> all{
      {"/version", "2", "/version: 2 found; this ddlsim reads version 1"},
      {"/cluster", "", "/cluster: missing; give a text"},
      {"/emulated", "", "/emulated: missing; give true or false"},
      {"/source", "\"x\"", "/source: \"x\" found, an object expected; write {...}"},
      {"/source/title", "\"\"",
       "/source/title: the text is empty; say what it is, or \"unknown\" where that is allowed"},
      {"/source/url", "\"x\"", "/source/url: unknown key; known here: title, repository, path, commit, file"},
      {"/gpu", "\"fake GPU\"",
       "/gpu: these times were taken on the fake GPU of ddltrain's tests and say nothing of any machine; remove the "
       "file"},
      {"/hostname", "\"x\"",
       "/hostname: unknown key; known here: record, version, cluster, gpu, machine, software, date, "
       "who, source, emulated, settings, nodes"}};
  for (const auto& one : all) {
    INFO(one.pointer);
    CHECK(reported_of_context(one) == Lines{":1: " + one.says});
  }
  for (const char* date : {"2018", "2018-05", "2018-12-31", "unknown"})
    CHECK(reported_of_context({"/date", json(date).dump(), ""}).empty());
  for (const char* date : {"18", "2018-13", "2018-5", "2018-05-32", "2018/05", "May 2018", "2018-05-07T00:00"}) {
    INFO(date);
    CHECK(
        reported_of_context({"/date", json(date).dump(), ""}) ==
        Lines{":1: /date: \"" + std::string(date) + "\" is not a date; give 2018, 2018-05, 2018-05-07 or \"unknown\""});
  }
}

TEST_CASE("a context holds for the records after it, until the next one") {
  auto later = sample_context();
  later["gpu"] = "K80";
  later["date"] = "2019";
  const auto step = sample_record("step").dump();
  const ddlsim_test::TemporaryFolder folder;
  const auto read =
      read_measurements(folder.write("two.jsonl", after_a_context(step + "\n" + later.dump() + "\n" + step)));
  REQUIRE(read.records.size() == 2);
  CHECK(ddlsim::head_of(read.records[0]).gpu == "V100-SXM2-16GB");
  CHECK(ddlsim::head_of(read.records[1]).gpu == "K80");
  CHECK(read.context.gpu == "V100-SXM2-16GB");
  CHECK(read.context.date == "2018-05");
}

TEST_CASE("what is asked of a file as a whole is the same in all of its contexts") {
  const auto reported_of_second = [](const char* key, const json& value) {
    auto second = sample_context();
    second[key] = value;
    return context_mistakes(after_a_context(second.dump()));
  };
  const std::string advice = " in the file's first context; give these records a file of their own";
  CHECK(reported_of_second("cluster", "p3dn") == Lines{":2: /cluster: \"p3dn\" found, \"iris\"" + advice});
  const auto software = sample_context()["software"].dump();
  CHECK(reported_of_second("software", "MXNet 9") == Lines{":2: /software: \"MXNet 9\" found, " + software + advice});
  CHECK(reported_of_second("emulated", true) == Lines{":2: /emulated: true found, false" + advice});
  CHECK(reported_of_second("date", "2018-13").size() == 1);
}

namespace {

/// A line of fields for the next records.
std::string common(int next, const json& fields) {
  return json{{"record", "common"}, {"next", next}, {"fields", fields}}.dump() + "\n";
}

json without(json record, const std::vector<std::string>& keys) {
  for (const auto& key : keys) record.erase(key);
  return record;
}

} // namespace

TEST_CASE("fields that records share are in each, unless it states them") {
  const auto step = sample_record("step");
  const std::vector<std::string> shared{"record", "series", "model", "note"};
  json fields;
  for (const auto& key : shared) fields[key] = step[key];
  const auto rest = without(step, shared);
  auto other = rest;
  other["note"] = "another";
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write(
      "a.jsonl", after_a_context(common(2, fields) + rest.dump() + "\n" + other.dump() + "\n" + step.dump()));
  const auto read = read_measurements(file);
  const auto whole = read_measurements(folder.write("b.jsonl", after_a_context(step.dump())));
  REQUIRE(read.records.size() == 3);
  for (const auto& record : {read.records[0], read.records[2]})
    CHECK(ddlsim::to_json_line(record) == ddlsim::to_json_line(whole.records[0]));
  CHECK(ddlsim::head_of(read.records[1]).note == "another");
  CHECK(ddlsim::head_of(read.records[1]).line == 4);
}

TEST_CASE("fields are for as many records as they say") {
  const auto step = sample_record("step");
  const json fields{{"record", "step"}};
  const auto rest = without(step, {"record"}).dump() + "\n";
  CHECK(context_mistakes(after_a_context(common(1, fields) + rest)).empty());
  CHECK(context_mistakes(after_a_context(common(3, fields) + rest)) ==
        Lines{"line 2 has fields for 2 more records; correct its \"next\""});
  CHECK(context_mistakes(after_a_context(common(1, fields))) ==
        Lines{"line 2 has fields for 1 more record; correct its \"next\""});
  CHECK(context_mistakes(after_a_context(common(2, fields) + rest + common(1, fields) + rest)) ==
        Lines{":4: line 2 has fields for 1 more record; correct its \"next\""});
  CHECK(context_mistakes(after_a_context(common(2, fields) + rest + sample_context().dump())) ==
        Lines{":4: line 2 has fields for 1 more record; correct its \"next\""});
  CHECK(context_mistakes(after_a_context(common(1, fields) + rest + rest)).size() == 1); // of no kind
  CHECK(context_mistakes(common(1, fields) + rest).size() == 1);                         // no context before
}

TEST_CASE("what is wrong with fields that records share is reported") {
  const auto rest = without(sample_record("step"), {"record"}).dump() + "\n";
  const auto reported = [&](const char* key, const json& value) {
    json line{{"record", "common"}, {"next", 1}, {"fields", {{"record", "step"}}}};
    line[key] = value;
    return context_mistakes(after_a_context(line.dump() + "\n" + rest)).front();
  };
  CHECK(reported("next", 0) == ":2: /next: 0 is out of range; give 1 to 100000");
  CHECK(reported("nxt", 1) == ":2: /nxt: unknown key; did you mean \"next\"?");
  CHECK(reported("fields", 3) == ":2: /fields: 3 found, an object expected; write {...}");
  CHECK(reported("fields", json::object()) == ":2: /fields: no field found; give those that the records share");
  for (const char* kind : {"context", "common"})
    CHECK(reported("fields", {{"record", kind}}) == ":2: /fields/record: no record is of this kind; give the kind of "
                                                    "the records, or leave it to each");
  CHECK(reported("fields", {{"record", "step"}, {"nots", "x"}}) ==
        ":3 (and line 2): /nots: unknown key; did you mean \"note\"?");
  CHECK(context_mistakes(after_a_context(common(100'000, {{"note", std::string(1000, 'x')}}))).front() ==
        ":2: fields too long for so many records; write them in the records, or split the file");
}
