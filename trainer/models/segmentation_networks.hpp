#pragma once
// Networks that mark what each pixel of an image shows.

#include <memory>

namespace ddltrain {
class Network;

/// TinyUNet of NVIDIA/DeepLearningExamples, TensorFlow/Segmentation/UNet_Industrial (model/unet.py and model/blocks): a
/// U-Net (arXiv 1505.04597) that keeps the size of its maps, doubles them by copying before a 2x2 convolution, and marks
/// defects in images of 1x512x512; 1,850,305 parameters. The loss is the binary cross entropy with which training
/// begins; the Dice coefficient that chooses between it and another loss, and what is only reported, are left out. None
/// of it holds weights.
std::shared_ptr<Network> unet_industrial();

} // namespace ddltrain
