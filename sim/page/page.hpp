#pragma once
// The frame of an HTML page: its head, its style for light, dark and paper, and its script. The script shows the values
// of a point and the curves that the page's controls select.

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// Returns a whole document around `body`, which must be well-formed. The document loads nothing from outside. The
/// script reads the values of a mark with data-p="N" from the table row with id="pN". Without the script the marks show
/// their own titles.
std::string html_page(const std::string& title, const std::string& body);

/// The stylesheet and the script that every page has.
std::string page_style();
std::string page_script();

// The controls that select the curves and rows that a page shows. There is one control for each dimension in which they
// differ.

/// One dimension in which the curves of a page differ: its name, and its values in the order of the control.
struct PageDimension {
  std::string name;
  std::vector<std::string> values;
};

/// The position of one curve: the index of its value in each dimension.
using PageChoice = std::vector<std::size_t>;

/// Finds the dimensions in which curves differ among the columns of `facts`, each of which has one value for each
/// curve. A column that distinguishes the same curves as an earlier one is left out. Sets `choices` to the position of
/// each curve.
std::vector<PageDimension> find_dimensions(const std::vector<std::string>& names,
                                           const std::vector<std::vector<std::string>>& facts,
                                           std::vector<PageChoice>& choices);

/// The data-k attribute of a chart or a row with this choice.
std::string page_key(const PageChoice& choice);

/// Returns a select element for each dimension, with "all" beside its values; "" when there are no dimensions. They are
/// hidden where no script runs. When the page opens, as many dimensions are set to the first curve's value as are
/// needed to show at most `most_at_first` curves.
std::string page_controls(const std::vector<PageDimension>& dimensions, const std::vector<PageChoice>& choices,
                          std::size_t most_at_first);

} // namespace ddlsim
