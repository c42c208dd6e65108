#pragma once
// What the words of `ddltrain train` mean, and what frameworks do where the user says nothing.

#include "trainer/cli/train_command.hpp"

namespace ddltrain {

/// Fills in `options` from what was typed, and what was not from the model and from frameworks' habits. Throws UserError
/// for words that mean nothing and for choices that exclude each other, whether or not this machine has the device.
void settle(TrainArguments& arguments);

/// PyTorch's DistributedDataParallel gives rank 0's buffers to all before each forward pass; Horovod, TensorFlow and
/// MXNet keep each worker's own. So do we: on where all-reduces go in its buckets.
bool usually_broadcasts_buffers(const TrainStrategy& strategy);

} // namespace ddltrain
