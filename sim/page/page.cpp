#include "sim/page/page.hpp"

#include "sim/page/html_text.hpp"

#include <fmt/format.h>

namespace ddlsim {

std::string html_page(const std::string& title, const std::string& body) {
  return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                     "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{0}</title>\n<style>{1}</style>\n"
                     "</head>\n<body>\n<h1>{0}</h1>\n{2}<div id=\"tip\" role=\"status\" hidden=\"hidden\"></div>\n"
                     "<script>{3}</script>\n</body>\n</html>\n",
                     html_escaped(title), page_style(), body, page_script());
}

} // namespace ddlsim
