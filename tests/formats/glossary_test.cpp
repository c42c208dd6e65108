#include "sim/formats/glossary.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <set>

using Names = std::vector<std::string>;
using ddlsim::read_glossary;

namespace {

/// What is wrong with a glossary of that content.
std::vector<std::string> complaints_about(const std::string& content) {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("glossary.md", content);
  return ddlsim_test::mistakes_of(file, [&] { read_glossary(file); });
}

const char* const form = "give paragraphs `**term** (also: spelling, spelling): text`";

} // namespace

TEST_CASE("entries are paragraphs among others") {
  const ddlsim_test::TemporaryFolder folder;
  const auto entries =
      read_glossary(folder.write("a.md", "# Glossary\n\nOf **words**.\r\n\r\n"
                                         "**global batch** (also: samples of an iteration, ?): Samples\r\n"
                                         "  of all GPUs (and: more).\r\n\n \n**off**: Not on."));
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].term == "global batch");
  CHECK(entries[0].also == Names{"samples of an iteration", "?"});
  CHECK(entries[0].text == "Samples of all GPUs (and: more).");
  CHECK(spellings_of(entries[0]) == Names{"global batch", "samples of an iteration", "?"});
  CHECK(entries[1].term == "off");
  CHECK(entries[1].also.empty());
  CHECK(entries[1].text == "Not on.");
}

TEST_CASE("an entry is found in any spelling") {
  const std::vector<ddlsim::GlossaryEntry> entries{{"global batch", {"global_batch", "?"}, "a"}, {"1F1B", {}, "b"}};
  for (const char* asked : {"global batch", "Global-Batch", "+ global batch", "GLOBALBATCH", "?"})
    CHECK(find_entry(entries, asked) == &entries[0]);
  CHECK(find_entry(entries, "1f1b") == &entries[1]);
  for (const char* asked : {"", "!", "batch", "global batch 2", "\x1b[31m"})
    CHECK(find_entry(entries, asked) == nullptr);
}

TEST_CASE("entries of another form are refused with their lines") {
  const auto refused = [](const std::string& shown) { return shown + " found; " + form; };
  CHECK(complaints_about("\n**a**: b\n\n**c** d\n\n**e** (also: ): f\n") ==
        Names{":4: " + refused("\"**c** d\""), ":6: " + refused("\"**e** (also: ): f\"")});
  for (const std::string bad : {"**", "****: a", "**a", "**a**", "**a**: ", "**a** (also: b: c", "**a** (also: b)",
                                "**a** (also: b, , c): d", "**a** (also: b (c)): d"})
    CHECK(complaints_about(bad).size() == 1);
  CHECK(complaints_about("**\x1b[31m") == Names{":1: " + refused(R"("**\u001b[31m")")});
}

TEST_CASE("a spelling has one entry") {
  CHECK(complaints_about("**a b**: c\n\n**d** (also: A-B): e\n") ==
        Names{":3: \"A-B\" means the entry \"a b\", too; name it in one of them"});
  CHECK(complaints_about("**a**: c\n\n**a**: d\n").size() == 1);
  CHECK(complaints_about("**a b** (also: a_b): c\n").empty());
}

TEST_CASE("a glossary without entries, a huge one and none") {
  CHECK(complaints_about("") == Names{std::string("no entry found; ") + form});
  CHECK(complaints_about("words\n") == Names{std::string("no entry found; ") + form});
  const std::string long_text(3U << 20U, 'a');
  CHECK(complaints_about("**a**: " + long_text + "\n\n**b**: c\n") ==
        Names{":1: an entry of more than 65536 bytes; shorten it"});
  CHECK(complaints_about(long_text + "\n\n**b**: c\n").empty());
  const ddlsim_test::TemporaryFolder folder;
  CHECK_THROWS_WITH(ddlsim::load_glossary({folder.path()}),
                    Catch::Contains((folder.path() / "docs/glossary.md").string()));
}

TEST_CASE("each entry that is shipped says something of its own") {
  const auto entries = ddlsim::load_glossary({DDLSIM_SOURCE_DIR});
  CHECK(entries.size() > 100);
  std::set<std::string> texts;
  for (const auto& entry : entries) {
    CHECK(texts.insert(entry.text).second);
    CHECK(entry.text.ends_with('.'));
    CHECK(find_entry(entries, entry.term) == &entry);
  }
}
