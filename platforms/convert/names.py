"""What the sources call a model, and which variant that is.

A variant is what decides bytes and FLOP, so a record must name one. Where a source writes only "resnet50", the code
that ran decides; the reason stands beside each block, and records whose source leaves it open say so in their note.
"""

# tf_cnn_benchmarks (tensorflow/benchmarks, scripts/tf_cnn_benchmarks, 2017-2020). resnetN is pre_activation=False with
# the stride in the first 1x1 of a bottleneck (resnet_model.py); resnetN_v2 is pre-activation. inception3 has no
# auxiliary head, batch norm without scale and 1001 classes (inception_model.py); alexnet is its own (alexnet_model.py).
TF_CNN = {
    "alexnet": "alexnet_tf", "vgg16": "vgg16", "inception_v3": "inception_v3_tf", "inception3": "inception_v3_tf",
    "inception4": "inception_v4_tf", "resnet50": "resnet50_v1", "resnet101": "resnet101_v1",
    "resnet152": "resnet152_v1", "resnet50_v2": "resnet50_v2", "resnet101_v2": "resnet101_v2",
    "mobilenetv2": "mobilenet_v2",
}

# torchvision 0.2 and later: the stride of a bottleneck is in the 3x3 (models/resnet.py), which is v1.5; inception_v3
# builds its auxiliary head by default (models/inception.py); AlexNet is the one-tower one.
TORCHVISION = {
    "alexnet": "alexnet", "vgg11": "vgg11", "vgg13": "vgg13", "vgg16": "vgg16", "vgg19": "vgg19",
    "inception_v3": "inception_v3_aux", "resnet18": "resnet18", "resnet34": "resnet34", "resnet50": "resnet50_v1.5",
    "resnet101": "resnet101_v1.5", "resnet152": "resnet152_v1.5", "densenet121": "densenet121",
    "densenet161": "densenet161", "resnext50": "resnext50", "resnext101": "resnext101",
    "squeezenet1_0": "squeezenet1_0", "nasnetalarge": "nasnetalarge", "nasnetamobile": "nasnetamobile",
}

# MXNet example/image-classification symbols (dmlc/mxnet): resnet.py of 2017 is pre-activation ("v2"), with the stride
# in the 3x3; inception-v3 has no auxiliary head and 1000 classes; AlexNet is the symbol of 203 MB.
MXNET_SYMBOL = {
    "alexnet": "alexnet_mxnet", "vgg16": "vgg16", "inception_v3": "inception_v3", "inception_bn": "inception_bn",
    "resnet50": "resnet50_v2", "resnet101": "resnet101_v2", "resnet152": "resnet152_v2",
    "imagenet1k-inception-bn": "inception_bn", "imagenet1k-resnet-18": "resnet18_v2",
    "imagenet1k-resnet-34": "resnet34_v2", "imagenet1k-resnet-50": "resnet50_v2",
    "imagenet1k-resnet-101": "resnet101_v2", "imagenet1k-resnet-152": "resnet152_v2",
}

# DLPerf reports: every ResNet-50 is named v1.5 in its path or title (gluon-cv's "v1b" has the stride in the 3x3 too);
# BERT is pretraining at sequence length 128.
DLPERF = {"resnet50": "resnet50_v1.5", "bert-base pretraining": "bert_base_seq128"}

# HKBU ddl-benchmarks: torchvision 0.5 (PyTorch 1.4), BERT with sentences of 64 by script default (the source's notes).
HKBU = {"resnet50": "resnet50_v1.5", "bert_base": "bert_base_seq64", "bert_large": "bert_large_seq64"}

# fb.resnet.torch and Caffe models run in Torch7 by jcjohnson/cnn-benchmarks: the ResNets have the stride in the 3x3,
# ResNet-200 is pre-activation, AlexNet and Inception v1 are BVLC's.
TORCH7 = {
    "AlexNet": "alexnet_bvlc", "Inception-V1": "googlenet", "VGG-16": "vgg16", "VGG-19": "vgg19",
    "ResNet-18": "resnet18", "ResNet-34": "resnet34", "ResNet-50": "resnet50_v1.5", "ResNet-101": "resnet101_v1.5",
    "ResNet-152": "resnet152_v1.5", "ResNet-200": "resnet200_v2",
}

# u39kun/deep-learning-benchmark runs torchvision in PyTorch, tf_cnn_benchmarks' networks in TensorFlow, and Caffe2's
# own ResNet builder, which has the stride in the 3x3.
U39KUN = {
    "PyTorch": {"vgg16": "vgg16", "resnet152": "resnet152_v1.5", "densenet161": "densenet161"},
    "TensorFlow": {"vgg16": "vgg16", "resnet152": "resnet152_v1"},
    "Caffe2": {"vgg16": "vgg16", "resnet152": "resnet152_v1.5"},
}

# NVIDIA/DeepLearningExamples: the folder names the network; ResNet-50 is v1.5 everywhere.
NVIDIA_EXAMPLES = {
    "Classification/RN50v1.5": "resnet50_v1.5", "Classification/ConvNets/resnet50v1.5": "resnet50_v1.5",
    "Classification/ConvNets/resnext101-32x4d": "resnext101_32x4d",
    "Classification/ConvNets/se-resnext101-32x4d": "se_resnext101_32x4d", "Detection/SSD": "ssd300",
    "Segmentation/MaskRCNN": "maskrcnn", "Segmentation/UNet_Industrial": "unet_industrial",
    "SpeechRecognition/Jasper": "jasper",
}

# One folder name, another network: TensorFlow's SSD there is "SSD320 v1.2", by its README and configs/ssd320_*.config: a
# ResNet-50 with a feature pyramid, shared box predictors and focal loss on 320x320. PyTorch's is SSD300 on ResNet-50.
NVIDIA_EXAMPLES_OF = {("TensorFlow", "Detection/SSD"): "ssd320_fpn"}

# MLPerf closed division: the rules fix ResNet-50 v1.5.
MLPERF = "resnet50_v1.5"

# B-Caffe trains BVLC's GoogLeNet with its two auxiliary classifiers: 64 layers, 13.4 million parameters.
BCAFFE = "googlenet_aux"
