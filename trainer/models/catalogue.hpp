#pragma once
// Every model variant ddltrain knows. Variants are different models: resnet50_v1 is not resnet50_v1.5.

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ddltrain {

class Network;

/// What `train` and `layers` take when the user names none, with momentum 0.9.
struct Hyperparameter {
  double value = 0;
  std::string source; ///< the paper that states it, or what was tried
};

struct CatalogueEntry {
  std::string name;   ///< "resnet50_v1.5"; what files and scenarios call it
  std::string title;  ///< one line for a reader
  std::string sample; ///< what one sample is: "image 3x224x224"
  std::function<std::shared_ptr<Network>()> make;
  Hyperparameter learning_rate;
  Hyperparameter weight_decay;
};

/// All variants, families together.
const std::vector<CatalogueEntry>& catalogue();

/// The variant of that name. Throws UserError with the variants of a name that leaves the variant open, else with the
/// nearest name.
const CatalogueEntry& find_model(const std::string& name);

} // namespace ddltrain
