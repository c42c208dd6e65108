#pragma once
// Quantities as people write them ("100 Gbps", "1.5 us", "16 GiB"), and as the program holds them: as doubles in SI
// units.

#include <limits>
#include <string>
#include <string_view>

namespace ddlsim {

/// What a quantity measures. Files may use the listed units of each dimension, in the spellings of unit_words.hpp.
enum class Dimension {
  time,         ///< s, ms, us, ns, min, h, d, weeks, years (of 365 d)      -> seconds
  size,         ///< B, KB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB -> bytes
  bandwidth,    ///< bps, Kbps .. Tbps (bits), B/s, KB/s .. TB/s, MiB/s, GiB/s -> bytes a second, one direction
  compute_rate, ///< FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s             -> FLOP a second
  work,         ///< FLOP, MFLOP, GFLOP, TFLOP                              -> FLOP
  rate,         ///< samples/s, images/s, sequences/s, tokens/s             -> samples a second
  power,        ///< W, kW, MW                                              -> watts
  price,        ///< USD, k USD, M USD, B USD, USD/h, "$3M"                 -> dollars (a purchase) or dollars an hour
  count,        ///< k, M, B, T or nothing: "300B" tokens                   -> how many
};

/// Returns the SI value of a text like "12.5 GB/s". Throws UserError (with empty where and path) for a number without a
/// unit, a negative or infinite number, or an unknown unit. The message names the units of the dimension and the
/// nearest one. A unit that may mean bits or bytes ("GBps", "gb/s", "200G") is refused, with both ways to write it.
double parse_quantity(std::string_view text, Dimension dimension);

/// Writes a value with 4 significant digits, as in "12.5 GB/s". Of the dimension's units it takes the one that keeps
/// the number short and between 1 and 1000. Times of four days or more are in days, prices of a million or more in "M
/// USD".
std::string print_quantity(double value, Dimension dimension);

/// Returns the SI value of one `unit`, such as a record's "unit"; 0 when the dimension has no unit of that name.
double unit_in_si(std::string_view unit, Dimension dimension);

/// An example of a well-written quantity, such as "100 Gbps".
std::string_view example_quantity(Dimension dimension);

// Plain numbers, as options of the command line take them.

struct ExpectedNumber {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false; ///< whether `least` itself is too small
  bool below_most = false;  ///< whether `most` itself is too large
  bool whole = false;       ///< whether the number must be whole; without a stated `most` it must fit into 32 bits
};

/// Returns a text like "0 found, a number above 0 expected"; "" when the text is such a number.
std::string number_complaint(std::string_view text, const ExpectedNumber& expected);

} // namespace ddlsim
