#pragma once
// Reads lines, words and numbers of text files that other programs or people wrote.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

inline constexpr double percent = 100; ///< number of per cents in a whole

/// A number as it is printed, with half a unit of its last digit: 5.45 +- 0.005.
struct PrintedNumber {
  double value = 0;
  double half_step = 0;
};

bool is_digit(char letter);
std::string lower_case(std::string_view text); ///< returns the text with ASCII letters in lower case
std::string_view trim(std::string_view text);  ///< returns the text without blanks and tabs at both ends
std::vector<std::string> split_words(std::string_view text);
/// whether the text begins with `word`, followed by a blank or its end
bool starts_with_word(std::string_view text, std::string_view word);

/// Returns the finite number that is all of `text` ("5.45", "1e-07"); nothing for any other text, with nan and inf.
std::optional<PrintedNumber> parse_number(std::string_view text);

/// Throws UserError if the text is empty, not UTF-8, or binary.
void refuse_unreadable(std::string_view text, const std::string& where);

/// Returns the number of bytes of the first UTF-8 character of a text; 0 if the text does not begin with one.
std::size_t utf8_letter_bytes(std::string_view text);

/// Returns the lines without their ends (LF, CRLF or CR).
std::vector<std::string> split_lines(std::string_view text);

} // namespace ddlsim
