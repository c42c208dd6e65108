#include "sim/formats/strategy_fields.hpp"
#include "sim/predict/measured.hpp"
#include "sim/predict/point_fields.hpp"

namespace ddlsim {

std::vector<Field<PredictedPoint>> measured_rows() {
  const auto of = [](auto member) {
    return [member](const PredictedPoint& point) { return (*point.measured).*member; };
  };
  return {
      answered<PredictedPoint>("iteration_s", of(&MeasuredHere::iteration_s), rounded_positive_type(), "their median"),
      answered<PredictedPoint>("records", of(&MeasuredHere::records), number_of_things(1), "how many"),
      answered<PredictedPoint>("series", of(&MeasuredHere::series), text_type(),
                               "that of the record nearest the median"),
      answered<PredictedPoint>(
          "inside",
          [](const PredictedPoint& point) { return position_in(point, *point.measured) == PositionInInterval::inside; },
          boolean_type(), "whether the interval holds the median"),
      answered_where<PredictedPoint>(of(&MeasuredHere::suspect), "suspect", of(&MeasuredHere::suspect), boolean_type(),
                                     "true: all records are suspect")};
}

FieldTable<PointMemory> memory_fields() {
  const auto part = [](const char* key, double MemoryParts::*bytes, const char* meaning) {
    return answered<PointMemory>(
        key, [bytes](const PointMemory& memory) { return memory.parts.*bytes; }, rounded_type(), meaning);
  };
  const auto is_gpu_known = [](const PointMemory& memory) { return memory.gpu_bytes > 0; };
  return {{answered<PointMemory>(
               "peak_bytes", [](const PointMemory& memory) { return memory.parts.total(); }, rounded_type(),
               "the sum of the parts"),
           part("weights_bytes", &MemoryParts::weights, "of parameters"),
           part("gradients_bytes", &MemoryParts::gradients, "as the framework keeps them"),
           part("optimizer_bytes", &MemoryParts::optimizer, "moments, and fp32 copies of 16-bit weights"),
           part("gathered_bytes", &MemoryParts::gathered,
                "whole units, keys and sequences that other ranks have parts of, and buckets"),
           part("activations_bytes", &MemoryParts::activations, "kept for backward, of all micro-batches in flight"),
           part("working_bytes", &MemoryParts::working, "gradients of activations, and what is computed again"),
           part("logits_bytes", &MemoryParts::logits, "with their copies and gradient, while the loss is computed"),
           part("reserve_bytes", &MemoryParts::reserve, "of libraries and of the allocator"),
           answered<PointMemory>("half_width", &PointMemory::half_width, positive_type(), "of ln of the peak, 90 %"),
           answered_where<PointMemory>(is_gpu_known, "gpu_bytes", &PointMemory::gpu_bytes, rounded_positive_type(),
                                       "that the GPU has, where it is known"),
           answered_where<PointMemory>(
               is_gpu_known, "fit", [](const PointMemory& memory) { return std::string(to_text(memory.fit)); },
               word_type({"fits", "tight", "does not fit"}), "tight: within the half-width of what the GPU has"),
           optional("advice", &PointMemory::advice, text_type(), "where it does not surely fit: what would")}};
}

FieldTable<IterationTime> alone_fields() {
  return {interval_rows<IterationTime, double>("iteration_s", &IterationTime::s, &IterationTime::s_low,
                                               &IterationTime::s_high, rounded_positive_type(), "of one iteration")};
}

FieldTable<UnsplitTensor> tensor_fields() {
  return {{answered<UnsplitTensor>("name", &UnsplitTensor::name, text_type(), "in the model"),
           answered<UnsplitTensor>("size_bytes", &UnsplitTensor::size_bytes, rounded_positive_type(), "on the wire"),
           answered<UnsplitTensor>("share_of_busiest_server", &UnsplitTensor::share_of_busiest_server, rounded_type(),
                                   "of its bytes, at least half")}};
}

FieldTable<Strategy> found_servers_fields() {
  const auto servers = [](const Strategy& found) { return ServerCount{ServerCount::Rule::count, found.servers.value}; };
  return {{answered<Strategy>("servers", servers, servers_type(StrategyUse::scenario), "how many"),
           answered<Strategy>("placement", &Strategy::placement, name_of_type<Placement>(), "of the servers"),
           answered<Strategy>("sharding", &Strategy::sharding, name_of_type<Sharding>(), "how tensors are dealt out")}};
}

std::vector<Field<PredictedPoint>> largest_sum_rows() {
  return {answered<PredictedPoint>("algorithm", &PredictedPoint::algorithm, text_type(), "that the library takes"),
          answered<PredictedPoint>("size_bytes", &PredictedPoint::largest_collective_bytes, rounded_positive_type(),
                                   "of one GPU's vector"),
          optional("protocol", &PredictedPoint::protocol, text_type(), "of NCCL")};
}

namespace {

FieldTable<TimedLayout> layout_fields() {
  using Layout = TimedLayout;
  const auto degree = [](auto member) {
    return [member](const Layout& layout) { return layout.strategy.parallel.*member; };
  };
  const auto has_context = [](const Layout& layout) { return layout.strategy.parallel.context != 1; };
  const auto has_experts = [](const Layout& layout) { return layout.strategy.parallel.expert != 1; };
  const auto is_interleaved = [](const Layout& layout) { return layout.strategy.parallel.virtual_stages != 1; };
  const auto recomputes = [](const Layout& layout) { return recompute_of(layout.strategy) != Recompute::none; };
  const auto shards_on_a_node = [](const Layout& layout) {
    return shards_parameters(layout.strategy) && layout.strategy.parallel.shard_group == ShardedOptions::a_node;
  };
  const auto node_word_of = [](const Layout&) { return std::string("node"); };
  const auto iteration_s = [](const Layout& layout) { return layout.time.iteration_s; };
  const auto bubble_s = [](const Layout& layout) { return layout.time.parts.bubble_s; };
  const auto exposed = [=](const Layout& layout) {
    return ExposedOfStrategy{layout.time.parts.exposed, has_context(layout)};
  };
  FieldTable<Layout> table{
      {answered<Layout>("tensor", degree(&ModelParallelOptions::tensor), number_of_things(1), "as in a strategy"),
       answered<Layout>("pipeline", degree(&ModelParallelOptions::pipeline), number_of_things(1), "as in a strategy"),
       answered<Layout>("micro_batches", degree(&ModelParallelOptions::micro_batches), number_of_things(1),
                        "as in a strategy"),
       answered_where<Layout>(has_context, "context", degree(&ModelParallelOptions::context), number_of_things(1),
                              "as in a strategy"),
       answered_where<Layout>(has_experts, "expert", degree(&ModelParallelOptions::expert), number_of_things(1),
                              "as in a strategy"),
       answered_where<Layout>(is_interleaved, "virtual_stages", degree(&ModelParallelOptions::virtual_stages),
                              number_of_things(1), "as in a strategy"),
       answered_where<Layout>(recomputes, "recompute", degree(&ModelParallelOptions::recompute),
                              name_of_type<Recompute>({"selective", "full"}), "as in a strategy"),
       answered<Layout>("data_parallel", degree(&ModelParallelOptions::data_parallel), name_of_type<DataParallel>(),
                        "as in a strategy"),
       answered_where<Layout>(shards_on_a_node, "shard_group", node_word_of, word_type({"node"}), "as in a strategy"),
       answered<Layout>("formula_iteration_s", iteration_s, rounded_positive_type(), "iteration by the formulas"),
       answered<Layout>("bubble_s", bubble_s, rounded_type(), "of that iteration")}};
  add_to(table.fields, rows_of_part<Layout>(exposed, exposed_rows()));
  return table;
}

/// Names of what may limit the input, in the order of the enum.
std::vector<std::string> names_of_limits() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(InputLimit::workers); ++i) names.push_back(to_text(static_cast<InputLimit>(i)));
  return names;
}

} // namespace

std::vector<Field<ExposedOfStrategy>> exposed_rows() {
  using Of = ExposedOfStrategy;
  const auto type = rounded_type(-unbounded);
  const auto is_in_context_groups = [](const Of& of) { return of.has_context_groups; };
  const auto value = [](auto member) { return [member](const Of& of) { return of.exposed.*member; }; };
  return {answered<Of>("exposed_tensor_s", value(&ExposedParts::tensor_s), type,
                       "of a pipeline's `exposed_communication_s`: what gathers and scatters inside layers add alone"),
          answered<Of>("exposed_pipeline_s", value(&ExposedParts::pipeline_s), type,
                       "the same: what sends between stages add to what is inside layers and context groups"),
          answered<Of>("exposed_data_parallel_s", value(&ExposedParts::data_parallel_s), type,
                       "the same: what replicas add to all others"),
          answered_where<Of>(is_in_context_groups, "exposed_context_s", value(&ExposedParts::context_s), type,
                             "with `context`: what keys and values of context groups add to what is inside layers")};
}

FieldTable<FoundLayout> found_layout_fields() {
  const auto layout = answer_object(layout_fields());
  return {{answered<FoundLayout>("tried", &FoundLayout::tried, number_of_things(), "how many layouts are possible"),
           answered<FoundLayout>("refused_by_memory", &FoundLayout::refused_by_memory, number_of_things(),
                                 "how many of them do not fit"),
           answered_if_any<FoundLayout>("best", &FoundLayout::best, layout, "the fastest that fits"),
           answered_if_any<FoundLayout>("runner_up", &FoundLayout::runner_up, layout, "the next"),
           answered_if_any<FoundLayout>("too_large", &FoundLayout::too_large, layout,
                                        "the fastest that does not fit, if it is faster than the best")}};
}

std::vector<Field<PredictedPoint>> input_rows() {
  using Need = InputNeed;
  using Point = PredictedPoint;
  const auto has_storage = [](const Point& point) { return point.input->storage_Bps > 0; };
  const auto has_cores = [](const Point& point) { return point.input->node_cores > 0; };
  const auto states_cores = [](const Point& point) { return point.input->cores_per_node > 0; };
  const auto of = [](auto member) { return [member](const Point& point) { return (*point.input).*member; }; };
  const auto of_node = [](const Point& point) { return point.input->storage_Bps / point.nodes; };
  const auto limit = [](const Point& point) { return to_text(point.input->limit); };
  const auto itself = std::identity{};
  std::vector<Field<Point>> rows{answered<Point>("samples_per_s", of(&Need::samples_per_s), rounded_positive_type(),
                                                 "of all GPUs, if none waits for input")};
  auto storage = interval_rows<Point, double>("storage_Bps", of(&Need::storage_Bps), of(&Need::storage_Bps_low),
                                              of(&Need::storage_Bps_high), rounded_type(),
                                              "of all nodes, where a sample's size is known");
  storage.push_back(answered<Point>("node_storage_Bps", of_node, rounded_type(), "of one node"));
  add_to(rows, rows_of_part<Point>(itself, storage, std::function<bool(const Point&)>(has_storage)));
  const auto cores = interval_rows<Point, double>("node_cores", of(&Need::node_cores), of(&Need::node_cores_low),
                                                  of(&Need::node_cores_high), rounded_type(),
                                                  "that decode on each node, where a loader by cores is named");
  add_to(rows, rows_of_part<Point>(itself, cores, std::function<bool(const Point&)>(has_cores)));
  add_to(rows,
         {answered_where<Point>(states_cores, "cores_per_node", of(&Need::cores_per_node), number_of_things(1),
                                "that the scenario has"),
          answered<Point>("limit", limit, word_type(names_of_limits()),
                          "what takes longest: of a node, of all nodes (shared), or workers that read and then "
                          "decode and are too few"),
          answered<Point>("wait_chance", of(&Need::wait_chance), rounded_type(0, 1), "that the GPUs wait for input")});
  return rows;
}

} // namespace ddlsim
