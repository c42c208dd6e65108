#pragma once
// Foreign text as it may stand in HTML and SVG.

#include <string>

namespace ddlsim {

/// Escapes text for a place between tags or in a quoted attribute. It writes & < > " ' as entities, leaves out control
/// characters that XML does not allow, and replaces bytes that are not UTF-8 by U+FFFD.
std::string html_escaped(const std::string& text);

/// Escapes JSON for a place inside <script>: no tag can begin in it, and a reader of JSON reads the same values.
std::string json_in_script(const std::string& json);

} // namespace ddlsim
