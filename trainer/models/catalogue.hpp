#pragma once
// Every model variant ddltrain knows. Variants are different models: resnet50_v1 is not resnet50_v1.5.

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ddltrain {

class Network;

/// Learning rate and weight decay of `train` and `layers` where the user gives none; momentum is 0.9.
struct Hyperparameter {
  double value = 0;
  std::string source; ///< the paper that states the value, or the trial that chose it
};

struct CatalogueEntry {
  std::string name;   ///< the name in files and scenarios: "resnet50_v1.5"
  std::string title;  ///< the model in one line
  std::string sample; ///< shape of one sample: "image 3x224x224"
  std::function<std::shared_ptr<Network>()> make;
  Hyperparameter learning_rate;
  Hyperparameter weight_decay;
};

/// Returns all variants, ordered by family.
const std::vector<CatalogueEntry>& catalogue();

/// Returns the variant of that name. Throws UserError otherwise: for a name of a family the error lists its variants,
/// for any other name it gives the nearest one.
const CatalogueEntry& find_model(const std::string& name);

} // namespace ddltrain
