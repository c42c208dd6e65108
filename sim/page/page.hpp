#pragma once
// The frame of a page that a person looks at: head, style for light, dark and paper, and the script that shows a point's
// values and which curves the page's controls choose.

#include <string>

namespace ddlsim {

/// A whole document around `body`, which is well-formed. Nothing in it is loaded from anywhere. The script reads the
/// values of a mark with data-p="N" from the table row with id="pN"; without it the marks' own titles show.
std::string html_page(const std::string& title, const std::string& body);

/// The stylesheet and the script of every page.
std::string page_style();
std::string page_script();

} // namespace ddlsim
