#pragma once
// Many phrases sought in every line of a log of gigabytes, in one pass over each line.

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

/// Where a phrase stands in a line.
struct FoundPhrase {
  std::size_t index = 0; ///< of the phrase, in the order they were given
  std::size_t begin = 0;
  std::size_t end = 0; ///< behind it
};

/// The phrases, sorted by their first four letters. Each has four letters or more.
class PhraseFinder {
public:
  explicit PhraseFinder(const std::vector<std::string_view>& phrases);

  /// Calls `take(FoundPhrase)` for each phrase at each place, from the line's begin to its end.
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
  static constexpr std::size_t letters = 4; ///< by which phrases are sorted
  static constexpr std::size_t slots = 1U << 16U;

  static std::uint32_t begin_at(std::string_view text, std::size_t at) {
    std::uint32_t begin = 0;
    std::memcpy(&begin, text.data() + at, letters);
    return begin;
  }
  /// Knuth's multiplicative hash.
  static std::size_t slot_of(std::uint32_t begin) { return (begin * 2654435761U) >> 16U; }

  std::vector<std::string_view> phrases_;
  std::bitset<slots> may_begin_; ///< whether a phrase has such a begin; now and then another begin falls on its slot
  std::unordered_multimap<std::uint32_t, std::size_t> by_begin_;
};

/// The number that stands at `at` or behind blanks and one of ':', '=', '|', quotes, brackets or dotted lines: 1024 of
/// " ....... 1,024", 3.2 of "=3.2s". Nothing where another word comes first, and for a negative number.
std::optional<PrintedNumber> printed_at(std::string_view line, std::size_t at);

/// What stands right behind that number: "ms " of " 3.2ms "; "" where there is none.
std::string_view behind_number(std::string_view line, std::size_t at);

/// The number that ends before `at`, blanks between: 61 of "12s 61ms/step" before "ms/step".
std::optional<PrintedNumber> printed_before(std::string_view line, std::size_t at);

/// The same numbers without their rounding.
std::optional<double> number_at(std::string_view line, std::size_t at);
std::optional<double> number_ending_at(std::string_view line, std::size_t at);

/// Seconds of a clock that stands as number_at() has it: 100 of "0:01:40.00", 86,500 of "1 day, 0:01:40". A number
/// without a colon is seconds.
std::optional<double> seconds_at(std::string_view line, std::size_t at);

} // namespace ddlsim
