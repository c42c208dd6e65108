#pragma once
// Searches for many phrases in every line of a log of gigabytes, in one pass over each line.

#include "import/plain_text.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ddlsim {

/// The place of a phrase in a line.
struct FoundPhrase {
  std::size_t index = 0; ///< index of the phrase, in the order in which the phrases were given
  std::size_t begin = 0;
  std::size_t end = 0; ///< position just after the phrase in the line
};

/// An index of phrases by their first four letters. Each phrase must have at least four letters.
class PhraseFinder {
public:
  explicit PhraseFinder(const std::vector<std::string_view>& phrases);

  /// Calls `take(FoundPhrase)` for each phrase at each place, from the beginning of the line to its end.
  template <typename Take> void find_all(std::string_view line, Take take) const {
    for (std::size_t at = 0; at + letters <= line.size(); ++at) {
      const auto begin = begin_at(line, at);
      if (!may_begin_[slot_of(begin)]) continue;
      const auto [first, last] = by_begin_.equal_range(begin);
      for (auto one = first; one != last; ++one)
        if (line.substr(at).starts_with(phrases_[one->second]))
          take(FoundPhrase{one->second, at, at + phrases_[one->second].size()});
    }
  }

private:
  static constexpr std::size_t letters = 4; ///< number of letters that the index uses
  static constexpr std::size_t slots = 1U << 16U;

  static std::uint32_t begin_at(std::string_view text, std::size_t at) {
    std::uint32_t begin = 0;
    std::memcpy(&begin, text.data() + at, letters);
    return begin;
  }
  /// Knuth's multiplicative hash.
  static std::size_t slot_of(std::uint32_t begin) { return (begin * 2654435761U) >> 16U; }

  std::vector<std::string_view> phrases_;
  std::bitset<slots> may_begin_; ///< whether a phrase has this beginning; rarely another beginning has the same hash
  std::unordered_multimap<std::uint32_t, std::size_t> by_begin_;
};

/// Returns the number at `at`; there may be blanks and one of ':', '=', '|', quotes, brackets or dotted lines before
/// it. It returns 1024 for " ....... 1,024", and 3.2 for "=3.2s". It returns nothing if another word comes first, or
/// for a negative number.
std::optional<PrintedNumber> printed_at(std::string_view line, std::size_t at);

/// Returns the text right after that number, as "ms " for " 3.2ms "; "" if there is none.
std::string_view behind_number(std::string_view line, std::size_t at);

/// Returns the number that ends before `at`; blanks may follow it. Before "ms/step" of "12s 61ms/step" it is 61.
std::optional<PrintedNumber> printed_before(std::string_view line, std::size_t at);

/// Returns the values of the same numbers, without their rounding.
std::optional<double> number_at(std::string_view line, std::size_t at);
std::optional<double> number_ending_at(std::string_view line, std::size_t at);

/// Returns the seconds of a clock time at a place as in number_at(): 100 for "0:01:40.00", 86,500 for "1 day, 0:01:40".
/// A number without a colon is seconds.
std::optional<double> seconds_at(std::string_view line, std::size_t at);

} // namespace ddlsim
