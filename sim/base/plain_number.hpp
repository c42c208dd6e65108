#pragma once
// Numbers as the first screens of answers write them: two or three digits, thousands separated, a word for the unit.

#include <cstddef>
#include <string>

namespace ddlsim {

inline constexpr std::size_t screen_columns = 80; ///< width of a first screen, characters
inline constexpr std::size_t screen_lines = 20;   ///< most lines of a first screen

/// Breaks sentences into lines of a first screen, at most so many; a text that is cut ends in "...". A percent sign stays
/// beside its number. An empty text has no line.
std::string screen_text(std::string sentences, std::size_t lines);

/// Writes a whole number with commas: "65,536".
std::string with_commas(double count);

/// "1 GPU", "4,096 GPUs"
std::string gpus_in_words(int gpus);

/// Writes a value with three significant digits: "28,500", "0.351"; from a million on "18.4M".
std::string plain_number(double value);

/// Writes the same as short as a cell of a table needs it: "28.5k", "4.38M".
std::string cell_number(double value);

/// Writes a time in the unit that people use for its size: "820 ms", "55 s", "36 min", "47 h", "9.2 d".
std::string plain_time(double time_s);

/// Writes a share without decimals: "86 %"; with one below a percent: "0.3 %".
std::string plain_percent(double share);

/// Writes the ends of an interval of texts, with a unit that both have once: "4.06 to 13.5 d".
std::string words_of_range(const std::string& low, const std::string& high);

/// Writes the ends of an interval: "20,500 to 40,300".
std::string plain_range(double low, double high);

} // namespace ddlsim
