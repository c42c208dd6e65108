#pragma once
// What an optimizer's update of parameters reads, writes, keeps and computes. All its numbers are fp32 unless a line
// says otherwise.

#include "sim/formats/model.hpp"
#include "sim/formats/names.hpp"

namespace ddlsim {

/// The optimizer that measured times are taken to have: AdamW for models with attention, else SGD with momentum.
Optimizer usual_optimizer(bool attends);

/// Bytes that the update of a parameter reads and writes:
///   sgd          28  weight and momentum read and written, the gradient read twice and set to zero
///   adamw        44  the same with a second moment, copies in 16 bits, and the gradient clipped
///   adamw_fused  40  one kernel reads four numbers and writes three (torch/optim, fused=True), and clipping reads the
///                    gradient twice and writes it
///   adamw_8bit   28  the same with moments of one byte (Dettmers et al., arXiv:2110.02861)
///   muon         36  of a matrix: momentum read and written, the gradient read, then the weight read and written with
///                    the direction in 16 bits and fp32, and clipping; its products come on top (muon_flop())
///   adafactor    28  the gradient read for its rows, its columns and the update, which is written and read, and the
///                    weight (Shazeer and Stern, arXiv:1804.04235, algorithm 4)
double touched_bytes(Optimizer optimizer);

/// Bytes that the optimizer keeps for all trained parameters of a model. SGD keeps a moment of 4 bytes, AdamW two. In 8
/// bits a moment has one byte, and 256 numbers share a scale. Muon keeps one moment for matrices and AdamW's two for the
/// rest. Adafactor keeps a number for each row and column of a matrix.
double moment_bytes(Optimizer optimizer, const Model& model);

/// Matrices that Muon updates: trained ones of blocks. Embeddings, the head and vectors are AdamW's (Liu et al., Muon is
/// scalable for LLM training, arXiv:2502.16982, section 2.2).
struct MuonWork {
  double parameters = 0;
  double flop = 0;               ///< of muon_flop() over all matrices
  double largest_parameters = 0; ///< of the largest matrix; an expert's is one of its own
  double largest_flop = 0;
};
MuonWork muon_work(const Model& model);

/// FLOP of Muon's five Newton-Schulz iterations on an m x n matrix, m <= n: 5 (4 n m^2 + 2 m^3). An iteration is
/// X = a X + (b A + c A A) X with A = X X^T (Jordan et al., Muon: an optimizer for hidden layers in neural networks,
/// 2024).
double muon_flop(double rows, double columns);

} // namespace ddlsim
