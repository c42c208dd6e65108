#pragma once
// Spoilt copies of a good text: byte by byte, or value by value where the text is JSON.

#include <random>
#include <string>

namespace ddlsim_fuzz {

/// Spoils a text in one to four places: a byte changed, dropped, doubled, a piece cut out or repeated, the end cut off.
std::string spoil_bytes(std::string text, std::mt19937_64& random);

/// Changes one figure of a JSON document, or of one line of JSON Lines; or one to three values: another number, unit or
/// name, a value of elsewhere, a key or an element gone, doubled or emptied. It stays JSON, so that rules between
/// fields are reached. "" where the text is no JSON.
std::string spoil_values(const std::string& text, std::mt19937_64& random);

} // namespace ddlsim_fuzz
