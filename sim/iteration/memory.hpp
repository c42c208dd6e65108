#pragma once
// Does a model with its batch fit into a GPU?

#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/names.hpp"

#include <string>

namespace ddlsim {

/// Lower bound of the bytes that training needs: parameters, gradients and momentum in fp32, and half of all layer
/// outputs (the rest is recomputed, fused or overwritten in place; 16-bit outputs under amp, fp16 and bf16). The
/// tightest published run that fits (ResNet-50 under XLA and amp, batch 320, 16 GB) leaves room for 0.65 of its
/// outputs.
double least_memory_bytes(const Model& model, Precision precision, double batch);

/// "" when it fits, else one sentence: what is needed, what the GPU has, what to do.
std::string memory_complaint(const Model& model, const Gpu& gpu, Precision precision, double batch);

} // namespace ddlsim
