#include "own/xml_tags.hpp"

#include <algorithm>
#include <utility>

namespace ddlsim {
namespace {

constexpr std::size_t most_tags = 200'000;
constexpr std::string_view xml_blanks = " \t\r\n";

std::string without_entities(std::string_view text) {
  static constexpr std::pair<std::string_view, char> entities[] = {
      {"&quot;", '"'}, {"&apos;", '\''}, {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}};
  std::string plain;
  while (!text.empty()) {
    const auto* found = std::find_if(std::begin(entities), std::end(entities),
                                     [&](const auto& entity) { return text.starts_with(entity.first); });
    const bool is_entity = found != std::end(entities);
    plain += is_entity ? found->second : text.front();
    text.remove_prefix(is_entity ? found->first.size() : 1);
  }
  return plain;
}

/// Returns the key="value" pairs of a tag after its name.
std::map<std::string, std::string> attributes_in(std::string_view inside) {
  std::map<std::string, std::string> attributes;
  while (true) {
    inside.remove_prefix(std::min(inside.find_first_not_of(xml_blanks), inside.size()));
    const auto equals = inside.find('=');
    if (equals == std::string_view::npos || equals + 1 >= inside.size()) return attributes;
    const char quote = inside[equals + 1];
    const auto end = quote == '"' || quote == '\'' ? inside.find(quote, equals + 2) : std::string_view::npos;
    if (end == std::string_view::npos) return attributes;
    attributes.emplace(inside.substr(0, equals), without_entities(inside.substr(equals + 2, end - equals - 2)));
    inside.remove_prefix(end + 1);
  }
}

/// Returns the end of the tag that opens at `open`, which is its '>' outside quotes; npos if there is none.
std::size_t tag_end(std::string_view text, std::size_t open) {
  char quote = 0;
  for (auto at = open + 1; at < text.size(); ++at) {
    if (quote != 0)
      quote = text[at] == quote ? 0 : quote;
    else if (text[at] == '"' || text[at] == '\'')
      quote = text[at];
    else if (text[at] == '>')
      return at;
  }
  return std::string_view::npos;
}

} // namespace

std::string XmlTag::attribute(const std::string& key) const {
  const auto found = attributes.find(key);
  return found == attributes.end() ? "" : found->second;
}

std::vector<XmlTag> xml_tags(std::string_view text) {
  std::vector<XmlTag> tags;
  int around = -1;
  std::size_t at = 0;
  while (tags.size() < most_tags) {
    const auto open = text.find('<', at);
    if (open == std::string_view::npos) break;
    const bool is_comment = text.substr(open).starts_with("<!--");
    const auto end = is_comment ? text.find("-->", open) : tag_end(text, open);
    if (end == std::string_view::npos) break;
    at = end + 1;
    const auto inside = text.substr(open + 1, end - open - 1);
    if (is_comment || inside.empty() || inside.front() == '!' || inside.front() == '?') continue;
    if (inside.front() == '/') {
      if (around >= 0) around = tags[static_cast<std::size_t>(around)].parent;
      continue;
    }
    const bool closes_itself = inside.back() == '/';
    const auto name_end = std::min(inside.find_first_of(" \t\r\n/"), inside.size());
    tags.push_back({std::string(inside.substr(0, name_end)), attributes_in(inside.substr(name_end)), around});
    if (!closes_itself) around = static_cast<int>(tags.size()) - 1;
  }
  return tags;
}

bool is_inside(const std::vector<XmlTag>& tags, int tag, int ancestor) {
  while (tag >= 0 && tag != ancestor) tag = tags[static_cast<std::size_t>(tag)].parent;
  return tag == ancestor;
}

} // namespace ddlsim
