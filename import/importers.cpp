#include "import/importers.hpp"

#include "import/plain_text.hpp"

#include <algorithm>
#include <stdexcept>

namespace ddlsim {

const std::vector<Importer>& importers() {
  static const std::vector<Importer> rows{
#define DDLSIM_IMPORTER(name, kind, reads, figures) {kind, reads, LogFigures::figures, import_##name, resembles_##name},
#include "import/importers.def"
  };
  return rows;
}

const Importer& importer_of(const std::string& kind) {
  for (const auto& row : importers())
    if (row.kind == kind) return row;
  throw std::out_of_range("no importer of " + kind);
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view phrase) { return text.find(phrase) != std::string_view::npos; });
}

std::string guess_kind(const LogSource& source) {
  auto name = source.name();
  if (const auto packed = lower_case(name.extension().string()); packed == ".gz" || packed == ".zst")
    name.replace_extension();
  if (lower_case(name.extension().string()) == ".csv") return "csv";
  const auto head = source.head();
  const auto text = head.substr(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  // A log may resemble several kinds. The first row with the strongest resemblance is taken.
  auto most = Resemblance::none;
  std::string kind;
  for (const auto& row : importers()) {
    const auto resemblance = row.resembles(text);
    if (resemblance > most) kind = row.kind;
    most = std::max(most, resemblance);
  }
  const bool is_hf_config = !text.empty() && text.front() == '{' && has_any(text, {"\"model_type\""});
  return is_hf_config && most < Resemblance::structure ? "hf-config" : kind;
}

} // namespace ddlsim
