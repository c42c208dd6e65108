#pragma once
// Networks that find objects in images.

#include <memory>

namespace ddltrain {
class Network;

/// SSD300 (arXiv 1512.02325) of NVIDIA/DeepLearningExamples, PyTorch/Detection/SSD: ResNet-50 v1.5 without its last
/// stage, 8732 boxes, 81 classes. The loss is the mean over all boxes: that boxes are matched with objects and hard
/// negatives chosen is left out; neither holds weights.
std::shared_ptr<Network> ssd300();

/// SSD320 of NVIDIA/DeepLearningExamples, TensorFlow/Detection/SSD (configs/ssd320_bench.config): the Object Detection
/// API's ssd_resnet50_v1_fpn, a RetinaNet (arXiv 1708.02002). ResNet-50 v1 with a feature pyramid of five maps, two
/// towers of four convolutions that all maps share, 12,804 boxes, 91 classes; statistics of batch norms are fixed. As for
/// SSD300, that boxes are matched with objects is left out.
std::shared_ptr<Network> ssd320_fpn();

class Network;

/// Mask R-CNN (arXiv 1703.06870) on ResNet-50 with a feature pyramid as in NVIDIA/DeepLearningExamples,
/// PyTorch/Segmentation/MaskRCNN: images of 800x1344, 512 regions of an image of which 128 get a mask, 81 classes; norms,
/// stem and first stage of the backbone are not trained. Regions come with the batch, and what is to be found is drawn:
/// choosing regions among the proposals (sorting, suppression, matching) is left out. It holds no weights, but takes time.
std::shared_ptr<Network> mask_rcnn();

} // namespace ddltrain
