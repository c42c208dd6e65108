#pragma once
// What the tests of pages ask of one: whether it is well-formed, and what stands in it.

#include <regex>
#include <string>
#include <vector>

namespace ddlsim::test {

/// The page without what is not markup: the document type, and the script, which is CDATA.
inline std::string markup_of(const std::string& page) {
  std::string markup = page.substr(page.find('\n') + 1);
  const auto script = markup.find("<script>"), end = markup.find("</script>");
  return markup.erase(script, end - script);
}

/// "" when every tag is closed by its own name in turn, attributes are quoted and & begins an entity; else what is
/// wrong.
inline std::string flaw_in(std::string markup) {
  if (const auto script = markup.find("</script>"); script != std::string::npos) markup.erase(script, 9);
  static const std::regex transfers("&(?!amp;|lt;|gt;|quot;|#39;)");
  if (std::regex_search(markup, transfers)) return "an & that is no entity";
  static const std::regex tag("<(/?)([a-z0-9]+)((?: [a-zA-Z0-9-]+=\"[^\"<]*\")*) ?(/?)>");
  std::vector<std::string> open;
  std::size_t at = 0;
  while ((at = markup.find('<', at)) != std::string::npos) {
    const auto end = markup.find('>', at);
    const std::string text = markup.substr(at, end - at + 1);
    std::smatch match;
    if (!std::regex_match(text, match, tag)) return "no tag: " + text;
    if (match[1].length() > 0) {
      if (open.empty() || open.back() != match[2].str()) return "closed out of turn: " + text;
      open.pop_back();
    } else if (match[4].length() == 0) {
      open.push_back(match[2].str());
    }
    at = end;
  }
  return open.empty() ? "" : "left open: " + open.back();
}

inline int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

/// What would have a browser load something; "" where nothing does.
inline std::string loads(const std::string& page) {
  for (const auto* outside : {"http", "//cdn", "src=", "url(", "@import", "<link"})
    if (page.find(outside) != std::string::npos) return outside;
  return "";
}

inline bool has(const std::string& page, const std::string& part) {
  return page.find(part) != std::string::npos;
}

/// A name that would break out of text, attributes, script and charts.
inline const std::string& hostile_name() {
  static const std::string name = "b<&>\"'</script>]]>--><svg onload=\"x\">\x01";
  return name;
}

/// The same as a page has it.
inline const std::string& hostile_name_escaped() {
  static const std::string name =
      "b&lt;&amp;&gt;&quot;&#39;&lt;/script&gt;]]&gt;--&gt;&lt;svg onload=&quot;x&quot;&gt;";
  return name;
}

} // namespace ddlsim::test
