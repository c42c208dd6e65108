#include "sim/answer/text_lines.hpp"

#include <algorithm>

namespace ddlsim {

std::string to_lines(std::string_view sentence, std::size_t columns) {
  std::string text;
  std::string line;
  while (!sentence.empty()) {
    const std::size_t end = std::min(sentence.find(' '), sentence.size());
    const auto word = sentence.substr(0, end);
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
    const bool begins = line.empty() || line == "  ";
    if (!begins && line.size() + 1 + word.size() > columns) {
      text += line + "\n";
      line = "  ";
    } else if (!begins) {
      line += ' ';
    }
    line += word;
  }
  return text + line + "\n";
}

} // namespace ddlsim
