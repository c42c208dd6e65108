#include "tests/fuzz/mutate.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace ddlsim_fuzz {
namespace {

using nlohmann::json;

std::size_t below(std::size_t most, std::mt19937_64& random) {
  return static_cast<std::size_t>(random() % most);
}

void collect(json& value, std::vector<json*>& places) {
  places.push_back(&value);
  if (value.is_structured())
    for (auto& child : value) collect(child, places);
}

json other_number(const json& value, std::mt19937_64& random) {
  static const std::vector<json> edge_cases{
      0,      1,     -1,  2,    7,   1000,     65536, 2147483647, 2147483648, 1e18, 1073741824, 100000000,
      1e-300, 1e300, 0.5, 1e-9, 1.5, 10000000, 100,   4294967296, 0.999999,   1e9,  3,          -2147483649};
  const double number = value.is_number() ? value.get<double>() : 1;
  switch (below(4, random)) {
  case 0:
    return number * 2;
  case 1:
    return number / 3;
  case 2:
    return value.is_number_integer() ? json(static_cast<long>(std::clamp(number, -1e15, 1e15)) + 1) : json(-number);
  default:
    return edge_cases[below(edge_cases.size(), random)];
  }
}

json other_text(const json& value, std::mt19937_64& random) {
  static const std::vector<std::string> edge_cases{"",
                                                   "0 us",
                                                   "1e300 s",
                                                   "1e-300 GB/s",
                                                   "-1 s",
                                                   "nan s",
                                                   "1 TB/s",
                                                   "0 B/s",
                                                   "1e308 FLOP/s",
                                                   "../x",
                                                   "a/b.json",
                                                   "=1+1",
                                                   "<b>",
                                                   "\x1b[31m",
                                                   "none",
                                                   "ring",
                                                   "ps",
                                                   "ps-async",
                                                   "fsdp",
                                                   "zero-1",
                                                   "zero-2",
                                                   "tree",
                                                   "auto",
                                                   "fp16",
                                                   "amp",
                                                   "best",
                                                   "halving-doubling",
                                                   "hierarchical-ring",
                                                   "collnet",
                                                   "nvls",
                                                   "dedicated",
                                                   "colocated",
                                                   "round-robin",
                                                   "split",
                                                   "fat-tree",
                                                   "torus",
                                                   "dragonfly",
                                                   "single-switch",
                                                   "99999999999999999999 B"};
  std::string text = value.is_string() ? value.get<std::string>() : "";
  if (text.empty() || below(2, random) == 0) return edge_cases[below(edge_cases.size(), random)];
  const auto digit = text.find_first_of("123456789");
  if (digit != std::string::npos) text[digit] = static_cast<char>('0' + below(10, random));
  return digit == std::string::npos ? text + text : text;
}

/// One value of the document is another afterwards.
void spoil_one(json& document, std::mt19937_64& random) {
  std::vector<json*> places;
  collect(document, places);
  json& value = *places[below(places.size(), random)];
  const json donor = *places[below(places.size(), random)]; // a copy: it may hold the value
  if (value.is_structured() && !value.empty()) {
    const auto child = std::next(value.begin(), static_cast<std::ptrdiff_t>(below(value.size(), random)));
    switch (below(4, random)) {
    case 0:
      value.erase(child);
      return;
    case 1:
      if (value.is_array()) value.push_back(json(*child));
      return;
    case 2:
      *child = donor;
      return;
    default:
      *child = child->is_object() ? json::object() : child->is_array() ? json::array() : json(nullptr);
      return;
    }
  }
  if (value.is_boolean()) {
    value = !value.get<bool>();
  } else if (below(8, random) == 0) {
    value = donor;
  } else {
    value = value.is_number() ? other_number(value, random) : other_text(value, random);
  }
}

/// One number, or one digit of a quantity, is another: most such documents are still good ones.
void change_a_figure(json& document, std::mt19937_64& random) {
  std::vector<json*> places;
  collect(document, places);
  std::erase_if(places, [](const json* value) {
    const bool is_quantity = value->is_string() && value->get<std::string>().find_first_of("123456789") == 0;
    return !value->is_number() && !is_quantity;
  });
  if (places.empty()) return;
  json& value = *places[below(places.size(), random)];
  if (value.is_number()) {
    value = other_number(value, random);
    return;
  }
  auto text = value.get<std::string>();
  text[0] = static_cast<char>('1' + below(9, random));
  if (below(2, random) == 0) text.insert(1, below(6, random), '0');
  value = text;
}

/// The parser's result and the library's dump() recurse: neither is asked about a text nested deeper than that.
bool is_deep(const std::string& text) {
  constexpr int most = 100;
  int depth = 0;
  for (const char c : text) {
    depth += (c == '{' || c == '[') ? 1 : (c == '}' || c == ']') ? -1 : 0;
    if (depth > most) return true;
  }
  return false;
}

std::string spoil_document(const std::string& text, std::mt19937_64& random) {
  if (is_deep(text)) return "";
  auto document = json::parse(text, nullptr, false);
  if (document.is_discarded()) return "";
  if (below(2, random) == 0)
    change_a_figure(document, random);
  else
    for (std::size_t left = 1 + below(3, random); left > 0; --left) spoil_one(document, random);
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

using namespace std::string_view_literals;

std::string spoil_bytes(std::string text, std::mt19937_64& random) {
  constexpr auto edge_cases = "{}[]\",:0-1e9.\\\n\0 xn"sv;
  for (std::size_t left = 1 + below(4, random); left > 0 && !text.empty(); --left) {
    const std::size_t at = below(text.size(), random);
    switch (below(7, random)) {
    case 0:
      text[at] = static_cast<char>(random() % 256);
      break;
    case 1:
      text[at] = edge_cases[below(edge_cases.size(), random)];
      break;
    case 2:
      text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << below(8, random)));
      break;
    case 3:
      text.erase(at, 1 + below(10, random));
      break;
    case 4:
      text.insert(at, text.substr(below(text.size(), random), 1 + below(30, random)));
      break;
    case 5:
      text.insert(at, 1, edge_cases[below(edge_cases.size(), random)]);
      break;
    default:
      text.resize(at);
      break;
    }
  }
  return text;
}

std::string spoil_values(const std::string& text, std::mt19937_64& random) {
  auto whole = spoil_document(text, random);
  if (!whole.empty()) return whole;
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (lines.size() < 2) return "";
  auto& line = lines[below(lines.size(), random)];
  line = spoil_document(line, random);
  if (line.empty()) return "";
  std::string spoilt;
  for (const auto& one : lines) spoilt += one + "\n";
  return spoilt;
}

} // namespace ddlsim_fuzz
