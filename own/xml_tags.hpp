#pragma once
// Reads XML as NCCL and lstopo write it, and makes a list of its tags.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

struct XmlTag {
  std::string name;
  std::map<std::string, std::string> attributes;
  int parent = -1; ///< position of the enclosing tag in the list; -1: none
  std::string attribute(const std::string& key) const;
};

/// Returns the tags in the order in which they begin, at most 200,000. Text between tags, comments, declarations and
/// text that is not well formed are skipped.
std::vector<XmlTag> xml_tags(std::string_view text);

/// Whether `ancestor` is one of the tags around `tag`.
bool is_inside(const std::vector<XmlTag>& tags, int tag, int ancestor);

} // namespace ddlsim
