#pragma once
// The constants of the model that were chosen with regard to measurements, each with value, unit and source. Figures
// from data sheets, kernel tables and other people's source code are next to the formulas that use them, and so are
// limits of work and of rounding. Nothing here depends on the site of a question.

namespace ddlsim {

struct ModelConstants {
  // Correlation of the residuals of one series (sim/predict/residual_process.hpp).

  /// Share of the variance that does not fade with the distance in scale. Residuals of DLPerf's stacks do not fade; a
  /// neutral choice would be 0.5.
  double residual_persistent_share = 0.6;
  /// Correlation of the rest between a scale and its double, and between a batch and its double. Residuals of HKBU's
  /// schedules fade like this; between batches six other clusters show 0.44 to 0.9.
  double residual_per_doubling = 0.7;
  /// Correlation between a scale inside a node and one across nodes. Judgement: different paths have errors of their
  /// own. Residuals prefer 0.65 by 2 in ln likelihood, nearly a tie.
  double residual_across_boundary = 0.5;
  /// Standard deviation of ln that each doubling beyond the measured scales adds: a random walk in the logarithm of the
  /// scale. Judgement: errors hardly grow over three doublings.
  double residual_growth = 0.02;
  /// Standard deviation of ln for the error of the model's form. It applies across nodes when no run of this kind is
  /// known. Sites were left out one at a time: ten nested ones, and Piz Daint of the blind log. Their squared errors
  /// exceeded the variance of their intervals, in the mean over sites, by the square of this.
  double model_form_across_nodes = 0.28;
  /// 1 or 0; `validate --without` sets it. With 0, residuals of a stack's other batches are not used.
  double residual_of_other_batches = 1;

  // The straight line beside the simulator (sim/predict/shrinking_growth.hpp). Of shares 0 to 0.5 and fades 0.3 to 3
  // these have the least mean error over new-T2 and new-T3 of six sites. Without EC2's sites they would be 0.4 and 3.

  double line_share = 0.5; ///< weight of the line just beyond the measured scales, in ln of the time
  double line_fade = 1.5;  ///< ln of the scale over which that weight fades

  // Noise of measurements that is assumed before the fit estimates it: standard deviations of ln.

  /// Scatter of a series around the fitted model, before the fit estimates it for each transport and series. Judgement.
  double fit_spread = 0.03;
  /// Noise of a published rate without a stated spread: 0.1 to 3 %, the deviation between runs in DLPerf and
  /// ddl-benchmarks.
  double unstated_noise = 0.015;
  /// Scatter of a transfer's time around latency plus size over rate (Hockney's law): published nccl-tests tables curve
  /// between the two (tests/calibrate/collective_shipped_test.cpp).
  double transfer_noise = 0.12;
  /// Noise that is added for an all-reduce by NCCL whose latency and transfer take equally long. Fits of whole tables
  /// by NCCL (ten sites) leave 0.32 where latency_bandwidth_mix() is above 0.8. Leaving out one site gives 0.25 to 0.3.
  double latency_bandwidth_noise = 0.3;
  /// Noise of an all-reduce in host memory, in place of the two constants above. Fits of whole tables by MPI and Gloo
  /// leave 0.08, 0.24, 0.28 and 0.93 on four sites.
  double host_all_reduce_noise = 0.25;

  /// Exponent, without unit, of the likelihood with which measurements choose between a library's algorithms, because
  /// points that are off for another reason also favour one. At full likelihood, with one scale across nodes, DLPerf's
  /// points favoured the double tree, which is wrong.
  double algorithm_likelihood_share = 0.25;

  // One-GPU times.

  /// Difference in ln beyond which repeats count as different experiments: four times unstated_noise.
  double repeat_difference = 0.06;
  /// Standard deviation of ln of measured times around a line over batch: published batch sweeps of MXNet on K80, M60,
  /// M40, P100 and V100.
  double batch_line_scatter = 0.03;
  /// A line holds up to its largest batch times this factor. From there to full memory, rates of TensorFlow and of
  /// AlexNet fall below the line by 9 to 35 %.
  double batch_line_reach = 1.5;
  /// Standard deviation of ln of the part of an iteration that does not grow with the batch: intercepts of MXNet's
  /// batch sweeps on five GPUs are 0.8 to 1.7 times the expected value.
  double one_batch_width = 0.3;
  /// Seconds for each layer and pass until its kernels run, for any batch size: MXNet's batch sweeps, K80 to V100, have
  /// intercepts of 26 to 70 ms over some 160 layers.
  double layer_launch_s = 60e-6;
  /// On fast GPUs layer_launch_s is replaced by the root of FLOP x byte of this constant, divided by the GPU's rate.
  /// Source: batches of one stack on the reference data single-gpu and on the H100 of h100-1x1-vm, each predicted from
  /// another. A layer and pass takes 60 us on a P100, 45 on a V100, 30 on an A100 and 10 on an H100; with 60 us for all
  /// the predictions were 52 % off, with this constant they are 5 % off.
  double small_layer_work = 1.6e8;
  /// Seconds for each layer and pass that the host takes to launch its kernels: host-bound steps on the H100 of
  /// h100-1x1-vm, from PyTorch's C++ interface on a virtual machine.
  double host_launch_s = 40e-6;
  /// Bytes that a rank of a tensor group moves beyond its part, for each byte of outputs. Source: blocks of six models
  /// on the H100 of h100-1x1-vm, whole and as one rank of a group of 2, 4 or 8 has them (docs/strategies.md): 27 to 70,
  /// with median 34, of which 4 are the writes of the exchanges.
  double tensor_part_touches = 30;
  /// Iteration time of a network as a share, without unit, of the sum of its layers' times: exp of the mean ln over 141
  /// fp32 times of convolutional networks in the reference data single-gpu. Kernels overlap, and libraries fuse layers.
  double roofline_share = 0.8;
};

} // namespace ddlsim
