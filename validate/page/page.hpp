#pragma once
// The frame of the validation page: head, style for light and dark, and the script that shows a point's values.

#include <string>

namespace ddlsim {

/// A whole document around `body`, which is well-formed. Nothing in it is loaded from anywhere. The script reads the
/// values of a mark with data-p="N" from the table row with id="pN"; without it the marks' own titles show.
std::string html_page(const std::string& title, const std::string& body);

} // namespace ddlsim
