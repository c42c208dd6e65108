#pragma once
// The frame of a page that a person looks at: head, style for light, dark and paper, and the script that shows a
// point's values and which curves the page's controls choose.

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// A whole document around `body`, which is well-formed. Nothing in it is loaded from anywhere. The script reads the
/// values of a mark with data-p="N" from the table row with id="pN"; without it the marks' own titles show.
std::string html_page(const std::string& title, const std::string& body);

/// The stylesheet and the script of every page.
std::string page_style();
std::string page_script();

// Controls that choose which of a page's curves and rows are shown, one for each dimension in which they differ.

/// One way in which what a page shows differs: a name, and its values in the order of the control.
struct PageDimension {
  std::string name;
  std::vector<std::string> values;
};

/// The choice of one curve: the index of its value in each dimension.
using PageChoice = std::vector<std::size_t>;

/// The dimensions among the columns of facts, which have one value a curve: those in which curves differ; a column that
/// distinguishes the same curves as one before it is left out. `choices` becomes one choice for each curve.
std::vector<PageDimension> find_dimensions(const std::vector<std::string>& names,
                                           const std::vector<std::vector<std::string>>& facts,
                                           std::vector<PageChoice>& choices);

/// What a chart or a row has as its data-k.
std::string page_key(const PageChoice& choice);

/// A select for each dimension, hidden where no script runs; each has "all" beside its values. At first as many
/// dimensions stand at the first curve's value as it takes to show at most `most_at_first` curves. "" where nothing
/// differs.
std::string page_controls(const std::vector<PageDimension>& dimensions, const std::vector<PageChoice>& choices,
                          std::size_t most_at_first);

} // namespace ddlsim
