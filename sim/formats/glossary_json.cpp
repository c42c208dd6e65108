#include "sim/base/json.hpp"
#include "sim/formats/field_table.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/glossary.hpp"

namespace ddlsim {
namespace {

struct GlossaryDocument {
  std::vector<GlossaryEntry> entries;
};

FieldTable<GlossaryEntry> entry_fields() {
  return {{required("term", &GlossaryEntry::term, text_type(), "as reports print it"),
           required("also", &GlossaryEntry::also, list_type(text_type()), "other spellings of the term"),
           required("text", &GlossaryEntry::text, text_type(), "one paragraph of Markdown")}};
}

const FieldTable<GlossaryDocument>& glossary_fields() {
  static const auto table = document<GlossaryDocument>(
      "ddlsim-glossary", 1,
      {required("entries", &GlossaryDocument::entries, list_type(object_type(entry_fields()), 1),
                "all entries of the glossary, or the one of a term")});
  return table;
}

} // namespace

FileFormat glossary_format() {
  return {"glossary", "Words and what they mean", "What `ddlsim explain --json` prints", glossary_fields().shape(),
          true};
}

std::string glossary_json(const std::vector<GlossaryEntry>& entries) {
  return json_text(write_fields(glossary_fields(), {entries}), 1, JsonBytes::mended) + "\n";
}

} // namespace ddlsim
