#include "import/launcher_prefix.hpp"

#include "import/plain_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace ddlsim {
namespace {

constexpr int most_prefixes = 4;                 ///< largest number of prefixes inside each other
constexpr std::size_t longest_prefix_bytes = 96; ///< long enough for kubectl's and Ray's prefixes with long names

/// The length of a prefix with the blanks after it; 0 if there is none.
struct FoundPrefix {
  std::size_t bytes = 0;
  int rank = -1;
};

std::size_t digits_from(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

int whole_number(std::string_view digits) {
  int value = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// Returns the number at the end of the text; -1 if there is none.
int number_at_the_end(std::string_view text) {
  auto from = text.size();
  while (from > 0 && is_digit(text[from - 1])) --from;
  return whole_number(text.substr(from));
}

/// Whether the text begins with that form, in which 'd' stands for any digit, and other letters for themselves.
bool has_form(std::string_view text, std::string_view form) {
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == 'd' ? !is_digit(text[i]) : text[i] != form[i]) return false;
  return true;
}

/// Finds the prefix "[1,3]<stdout>:", and horovodrun's with a time before it.
FoundPrefix of_stream(std::string_view line) {
  for (const std::string_view stream : {"]<stdout>:", "]<stderr>:"}) {
    const auto close = line.substr(0, longest_prefix_bytes).find(stream);
    const auto open = close == std::string_view::npos ? close : line.rfind('[', close);
    if (open != std::string_view::npos)
      return {close + stream.size(), number_at_the_end(line.substr(open + 1, close - open - 1))};
  }
  return {};
}

/// Finds the prefixes "[rank3]:", "[3] " and "[pod/a/b] ".
FoundPrefix bracketed(std::string_view line) {
  const auto close = line.substr(0, longest_prefix_bytes).find(']');
  if (!line.starts_with('[') || close == std::string_view::npos) return {};
  const auto inner = line.substr(1, close - 1);
  const auto after = line.substr(close + 1);
  for (const char* role : {"rank", "default", "trainer", "worker"})
    if (inner.starts_with(role) && after.starts_with(':')) return {close + 2, number_at_the_end(inner)};
  const bool is_number = !inner.empty() && digits_from(inner, 0) == inner.size();
  if (after.starts_with(' ') && (is_number || inner.starts_with("pod/"))) return {close + 2, -1};
  return {};
}

/// Finds the prefix "12: ".
FoundPrefix of_srun(std::string_view line) {
  const auto digits = digits_from(line, 0);
  if (digits == 0 || (line.substr(digits, 2) != ": " && line.substr(digits) != ":")) return {};
  return {digits + 2, whole_number(line.substr(0, digits))};
}

/// Finds the prefix "(RayTrainWorker pid=71, ip=10.0.0.1) ".
FoundPrefix of_ray(std::string_view line) {
  const auto close = line.substr(0, longest_prefix_bytes).find(") ");
  if (!line.starts_with('(') || close == std::string_view::npos) return {};
  return line.substr(0, close).find("pid=") == std::string_view::npos ? FoundPrefix{} : FoundPrefix{close + 2, -1};
}

/// Finds the prefix "trainer-1  | ": a service and its number, blanks, a bar.
FoundPrefix of_compose(std::string_view line) {
  const auto bar = line.substr(0, longest_prefix_bytes).find(" | ");
  if (bar == std::string_view::npos) return {};
  const auto name = trim(line.substr(0, bar));
  const bool is_name = !name.empty() && name.find_first_of(" \t") == std::string_view::npos && is_digit(name.back()) &&
                       name.find_first_of("-_") != std::string_view::npos;
  return is_name ? FoundPrefix{bar + 3, -1} : FoundPrefix{};
}

/// Finds the prefix "2026-11-29T10:00:00.123456Z " or "2026-11-29 10:00:00,123 ", with or without "stdout F " of a
/// container runtime after it.
FoundPrefix of_time(std::string_view line) {
  constexpr std::string_view day = "dddd-dd-dd";
  constexpr std::string_view time = "dd:dd:dd";
  const bool has_time = has_form(line, day) && line.size() > day.size() &&
                        (line[day.size()] == 'T' || line[day.size()] == ' ') &&
                        has_form(line.substr(day.size() + 1), time);
  if (!has_time) return {};
  auto end = line.find(' ', day.size() + 1);
  if (end == std::string_view::npos) return {};
  ++end;
  for (const std::string_view stream : {"stdout F ", "stderr F ", "stdout P ", "stderr P "})
    if (line.substr(end).starts_with(stream)) end += stream.size();
  return {end, -1};
}

/// Finds the prefix "Nov 29 10:00:00 host sh[71]: ".
FoundPrefix of_journal(std::string_view line) {
  constexpr std::size_t time_at = 7; // position of the time, after "Nov 29 "
  const bool has_time =
      line.size() > time_at && line[3] == ' ' && line[6] == ' ' && has_form(line.substr(time_at), "dd:dd:dd ");
  if (!has_time) return {};
  const auto end = line.substr(0, longest_prefix_bytes).find("]: ");
  return end == std::string_view::npos ? FoundPrefix{} : FoundPrefix{end + 3, -1};
}

FoundPrefix find_prefix(std::string_view line) {
  for (const auto find : {of_stream, bracketed, of_srun, of_ray, of_compose, of_time, of_journal})
    if (const auto found = find(line); found.bytes > 0) return found;
  return {};
}

} // namespace

UnprefixedLine without_prefix(std::string_view line) {
  UnprefixedLine bare{line};
  for (int i = 0; i < most_prefixes; ++i) {
    const auto trimmed = trim(bare.text);
    const auto found = find_prefix(trimmed);
    if (found.bytes == 0) break;
    bare.text = trimmed.substr(std::min(found.bytes, trimmed.size()));
    if (bare.rank < 0) bare.rank = found.rank;
  }
  return bare;
}

} // namespace ddlsim
