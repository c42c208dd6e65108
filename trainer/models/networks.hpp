#pragma once
// The networks of the catalogue except the residual ones; each is composed of the units of trainer/layers.

#include <cstdint>
#include <memory>

namespace ddltrain {

class Network;

/// LeNet-5 on 28x28 digits, padded to 32x32 as in the paper (LeCun et al. 1998). Unlike the paper's it has ReLU,
/// maximum pooling, and a fully connected second convolution; 61,706 parameters.
std::shared_ptr<Network> lenet5();

enum class AlexNetVariant {
  torchvision, ///< one-column AlexNet (arXiv 1404.5997): 64-192-384-256-256 channels
  tensorflow,  ///< tf_cnn_benchmarks: 64-192-384-384-256 channels, 227x227 images, 1001 classes, dropout after fc only
  mxnet        ///< apache/mxnet example/image-classification: 96-256-384-384-256 channels, local response norm
};

std::shared_ptr<Network> alexnet(AlexNetVariant variant);

/// VGG-16 without batch norm, 1000 classes (arXiv 1409.1556, configuration D; torchvision's vgg16).
std::shared_ptr<Network> vgg16();

/// GoogLeNet (arXiv 1409.4842) as torchvision has it: batch norm after each convolution, 3x3 where the paper has 5x5,
/// no auxiliary heads, 1000 classes.
std::shared_ptr<Network> googlenet();

/// GoogLeNet as Caffe's model zoo has it (bvlc_googlenet), close to the paper: no batch norm, 5x5 convolutions,
/// response normalisation, and two auxiliary heads that its training loss includes. 13,378,280 parameters.
std::shared_ptr<Network> googlenet_bvlc();

/// GoogLeNet as MXNet's image-classification example has it (symbols/googlenet.py), on 256x256 images: 5x5
/// convolutions, no norm at all, no auxiliary heads. Its pools drop partly filled windows, so that images of 256 leave
/// the last pool the 7x7 places that it averages; those of 224 would leave 6x6. 6,998,552 parameters.
std::shared_ptr<Network> googlenet_mxnet();

enum class InceptionVariant {
  torchvision,     ///< 1000 classes, batch norm with gamma, no auxiliary head
  torchvision_aux, ///< like torchvision, with the auxiliary classifier, which its training loss includes
  tensorflow       ///< tf_cnn_benchmarks: 1001 classes, batch norm without gamma, no auxiliary head
};

/// Inception v3 (arXiv 1512.00567) on 299x299 images.
std::shared_ptr<Network> inception_v3(InceptionVariant variant);

/// Inception v4 (arXiv 1602.07261) on 299x299 images as tf_cnn_benchmarks has it: 1001 classes, batch norm without
/// gamma.
std::shared_ptr<Network> inception_v4_tensorflow();

/// BERT's sizes (arXiv 1810.04805, section 3) and the length of its input.
struct BertShape {
  std::int64_t blocks = 12;
  std::int64_t width = 768;
  std::int64_t heads = 12;
  std::int64_t tokens = 128;
  /// Number of masked tokens of a sample that are predicted; 0: the masked-word head scores every token.
  std::int64_t predicted = 20;
};

/// BERT with both pre-training heads (masked words and next sentence), word table of 30,522 rows shared by the word
/// embedding and the masked-word head.
std::shared_ptr<Network> bert(const BertShape& shape);

/// Jasper 10x5 with dense residual connections (arXiv 1904.03288, table 1 and figure 2), 28 letters and a blank. A
/// sample is an utterance of 16.7 s with 64 features per frame. A batch is padded to its longest utterance, and 16.7 s
/// is the longest that NVIDIA/DeepLearningExamples trains on (jasper10x5dr.toml).
std::shared_ptr<Network> jasper();

/// SSD300 (arXiv 1512.02325) of NVIDIA/DeepLearningExamples, PyTorch/Detection/SSD: ResNet-50 v1.5 without its last
/// stage, 8732 boxes, 81 classes. The loss is the mean over all boxes; matching boxes with objects and choosing hard
/// negatives are left out, since neither has weights.
std::shared_ptr<Network> ssd300();

/// SSD320 of NVIDIA/DeepLearningExamples, TensorFlow/Detection/SSD (configs/ssd320_bench.config): the Object Detection
/// API's ssd_resnet50_v1_fpn, a RetinaNet (arXiv 1708.02002). ResNet-50 v1 with a feature pyramid of five maps, two
/// towers of four convolutions that all maps share, 12,804 boxes, 91 classes; statistics of batch norms are fixed. As
/// for SSD300, that boxes are matched with objects is left out.
std::shared_ptr<Network> ssd320_fpn();

/// Mask R-CNN (arXiv 1703.06870) on ResNet-50 with a feature pyramid as in NVIDIA/DeepLearningExamples,
/// PyTorch/Segmentation/MaskRCNN: images of 800x1344, 512 regions of an image of which 128 get a mask, 81 classes;
/// norms, stem and first stage of the backbone are not trained. Regions come with the batch, and what is to be found is
/// drawn: choosing regions among the proposals (sorting, suppression, matching) is left out. It holds no weights, but
/// takes time.
std::shared_ptr<Network> mask_rcnn();

/// TinyUNet of NVIDIA/DeepLearningExamples, TensorFlow/Segmentation/UNet_Industrial (model/unet.py and model/blocks): a
/// U-Net (arXiv 1505.04597) that keeps the size of its maps, doubles them by copying before a 2x2 convolution, and
/// marks defects in images of 1x512x512; 1,850,305 parameters. The loss is the binary cross entropy with which training
/// begins; the Dice coefficient that chooses between it and another loss, and what is only reported, are left out. None
/// of it holds weights.
std::shared_ptr<Network> unet_industrial();

} // namespace ddltrain
