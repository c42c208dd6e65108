#pragma once
// The constants of the model that were chosen in sight of measurements: value, unit and source of each. Figures of data
// sheets, of kernel tables and of other people's source code stay beside the formulas that have them, and so do limits
// of work and of rounding. Nothing here depends on the site that is asked about.

namespace ddlsim {

struct ModelConstants {
  // How the residuals of one series are correlated (sim/predict/residual_process.hpp).

  /// Share of the variance that does not fade with scale. Residuals of DLPerf's stacks do not fade; 0.5 would be no
  /// opinion.
  double residual_persistent_share = 0.6;
  /// Correlation of the rest from a scale to its double, and from a batch to its double. Residuals of HKBU's schedules
  /// fade by this; between batches six other clusters show 0.44 to 0.9.
  double residual_per_doubling = 0.7;
  /// Correlation between scales inside a node and across nodes: judgement, because other paths have errors of their own.
  /// Residuals prefer 0.65 by 2 in ln likelihood, nearly a tie.
  double residual_across_boundary = 0.5;
  /// Standard deviation of ln that a doubling beyond what was measured adds, a random walk in the logarithm of the
  /// scale. Judgement: misses hardly grow over three doublings.
  double residual_growth = 0.02;
  /// Standard deviation of ln that stands for the form of the model. It holds across nodes, where no run of this kind is
  /// known. Sites were left out, ten nested and Piz Daint of the blind log. Their squared errors exceeded the variance
  /// of their intervals, in the mean over sites, by the square of this.
  double model_form_across_nodes = 0.28;
  /// 1 or 0, a switch of `validate --without`. 0: residuals of a stack's other batches say nothing.
  double residual_of_other_batches = 1;

  // The straight line beside the simulator (sim/predict/shrinking_growth.hpp): of shares 0 to 0.5 and fades 0.3 to 3 those with
  // the least mean error over new-T2 and new-T3 of six sites. Without EC2's they would be 0.4 and 3.

  double line_share = 0.5; ///< of the line just beyond what was measured, in ln of the time
  double line_fade = 1.5;  ///< ln of the scale over which that share fades

  // How noisy a measurement is before the fit judges it: standard deviations of ln.

  /// Of a series about the fitted model, before the fit judges it again for each transport and series. Judgement.
  double fit_spread = 0.03;
  /// Of a published rate without a stated spread: run-to-run deviation in DLPerf and ddl-benchmarks, 0.1 to 3 %.
  double unstated_noise = 0.015;
  /// Of a transfer's time about a latency and a rate: Hockney's law over published nccl-tests tables, which bend between
  /// the two (tests/calibrate/collective_shipped_test.cpp).
  double transfer_noise = 0.12;
  /// Beyond that, of an all-reduce by NCCL whose latency and rate take as long: fits of whole tables by NCCL (ten sites)
  /// leave 0.32 at bends above 0.8. Leaving out one site gives 0.25 to 0.3.
  double latency_bandwidth_noise = 0.3;
  /// In place of both, of an all-reduce in host memory: fits of whole tables by MPI and Gloo leave 0.08, 0.24, 0.28 and
  /// 0.93 on four sites.
  double host_all_reduce_noise = 0.25;

  /// Exponent, without unit, of the likelihood with which measurements choose between a library's algorithms: points that
  /// miss for another reason also favour one. At full likelihood, with one scale across nodes, DLPerf's favoured the
  /// double tree, which is wrong.
  double algorithm_likelihood_share = 0.25;

  // One-GPU times.

  /// Difference in ln beyond which repeats are other experiments: four times unstated_noise.
  double repeat_difference = 0.06;
  /// Standard deviation of ln of measured times about a line over batch: published batch sweeps of MXNet on K80, M60,
  /// M40, P100 and V100.
  double batch_line_scatter = 0.03;
  /// A factor: a line holds to this much beyond its largest batch. Rates of TensorFlow and of AlexNet fall off the line
  /// by 9 to 35 % from there to full memory.
  double batch_line_reach = 1.5;
  /// Standard deviation of ln of the part that does not grow with the batch: intercepts of MXNet's batch sweeps of five
  /// GPUs are 0.8 to 1.7 times what is expected.
  double one_batch_width = 0.3;
  /// Seconds a layer and pass, until its kernels run, however small the batch: MXNet's batch sweeps, K80 to V100, have
  /// intercepts of 26 to 70 ms over some 160 layers.
  double layer_launch_s = 60e-6;
  /// Root of FLOP x byte, on fast GPUs in place of that, at the GPU's rate. Batches of one stack on the reference data
  /// single-gpu and on the H100 of h100-1x1-vm, each from another: a layer and pass takes 60 us on a P100, 45 on a V100,
  /// 30 on an A100 and 10 on an H100, where 60 for all was 52 % off and this is 5.
  double small_layer_work = 1.6e8;
  /// Seconds a layer and pass, for the host to launch its kernels: steps that the host paced on the H100 of h100-1x1-vm,
  /// from PyTorch's C++ interface on a virtual machine.
  double host_launch_s = 40e-6;
  /// Bytes that a rank of a tensor group moves beyond its part, a byte of outputs. Blocks of six models on the H100 of
  /// h100-1x1-vm, whole and as one rank of a group of 2, 4 or 8 has them (docs/strategies.md): 27 to 70, the median 34,
  /// of which 4 stand for what the exchanges write.
  double tensor_part_touches = 30;
  /// Share, without unit, of the sum of a network's layer times that its iteration is: exp of the mean ln over 141 fp32
  /// times of convolutional networks of the reference data single-gpu. Kernels overlap, and libraries fuse layers.
  double roofline_share = 0.8;
};

} // namespace ddlsim
