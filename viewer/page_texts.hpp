#pragma once
// The files of viewer/page, which the build makes part of the program.

#include <string_view>

namespace ddlsim {

std::string_view page_template(); ///< page.html
std::string_view page_style();    ///< page.css
std::string_view chart_style();   ///< chart.css
std::string_view page_script();   ///< all .js files in their order

} // namespace ddlsim
