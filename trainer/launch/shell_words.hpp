#pragma once
#include <string>
#include <vector>

namespace ddltrain {

/// The word as a POSIX shell reads it back: in single quotes where it holds anything but plain characters.
std::string shell_word(const std::string& word);

/// Words joined by blanks, each quoted where needed.
std::string shell_line(const std::vector<std::string>& words);

} // namespace ddltrain
