#pragma once
// XML as NCCL and lstopo write it, read as a list of its tags.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

struct XmlTag {
  std::string name;
  std::map<std::string, std::string> attributes;
  int parent = -1; ///< its place in the list; -1: none
  std::string attribute(const std::string& key) const;
};

/// The tags in the order of their beginnings, no more than 200,000. Text between tags, comments and declarations are
/// passed over, and so is what is not well formed.
std::vector<XmlTag> xml_tags(std::string_view text);

/// Is `ancestor` one of the tags around `tag`?
bool is_inside(const std::vector<XmlTag>& tags, int tag, int ancestor);

} // namespace ddlsim
