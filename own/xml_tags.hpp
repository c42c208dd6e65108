#pragma once
// Reads XML as NCCL and lstopo write it into a list of its tags.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

struct XmlTag {
  std::string name;
  std::map<std::string, std::string> attributes;
  int parent = -1; ///< position in the list; -1: none
  std::string attribute(const std::string& key) const;
};

/// The tags in the order in which they begin, at most 200,000. Text between tags, comments and declarations are
/// skipped, and so is text that is not well formed.
std::vector<XmlTag> xml_tags(std::string_view text);

/// Whether `ancestor` is one of the tags around `tag`.
bool is_inside(const std::vector<XmlTag>& tags, int tag, int ancestor);

} // namespace ddlsim
