// What a plan's page has besides verdict and chart.

const LETTERED = 5;

// The first option of each candidate and number of GPUs: other layouts are no choice of their own.
function choicesOf(plan) {
  const seen = new Set();
  return plan.options.filter((option) => {
    const key = option.candidate + " " + option.gpus;
    return !seen.has(key) && seen.add(key);
  });
}

function machineOf(plan, option) {
  return plan.machines.find((one) => one.candidate === option.candidate) || {gpu: option.candidate};
}

function gpuWord(gpu) {
  const first = gpu.split("-")[0];
  return gpu === "" ? "processes" : /\d/.test(first) ? first : gpu;
}

function figureOf(option, estimate) {
  return estimate ? (option.simulated ? estimate.median : estimate.value) : undefined;
}

function withRange(option, estimate, text) {
  if (!estimate) return "-";
  const range = option.simulated ? element("small", {}, rangeText(estimate.low, estimate.high, text)) : "";
  return element("span", {}, text(figureOf(option, estimate)), range);
}

function keeps(plan, option) {
  return option.simulated && option.chance !== null && option.chance >= plan.limits.chance;
}

// Why a choice is worth a row.
function worth(plan, choices, option) {
  const first = choices[0];
  if (option === first) return plan.limits_met ? `least ${plan.ranked_by}` : "nearest to the limits";
  const faster = figureOf(first, first.time_s) / figureOf(option, option.time_s);
  const words = [];
  if (faster >= 1.05) words.push(`${digits(threeDigits(faster))} times as fast`);
  else if (faster <= 0.95) words.push(`${digits(threeDigits(1 / faster))} times as long`);
  if (option.cost_usd && first.cost_usd) {
    const more = figureOf(option, option.cost_usd) / figureOf(first, first.cost_usd) - 1;
    words.push(Math.abs(more) < 0.005 ? "as dear" : `${plainPercent(Math.abs(more))} ${more > 0 ? "dearer" : "cheaper"}`);
  }
  return words.join(", ");
}

function choiceColumns(plan, choices, isShort) {
  const unit = figureOf(choices[0], choices[0].time_s) >= 2 * 86400 ? ["days", 86400] : figureOf(choices[0], choices[0].time_s) >= 7200 ? ["hours", 3600] : ["min", 60];
  const time = (seconds) => plainNumber(seconds / unit[1]);
  const letter = (option) => {
    const index = choices.indexOf(option);
    return index < 0 || index >= LETTERED ? "" : element("span", {class: "letter-mark" + (keeps(plan, option) ? " kept" : "")}, String.fromCharCode(65 + index));
  };
  const columns = [
    {name: "choice", left: true, text: (option) => element("span", {}, letter(option), `${withCommas(option.gpus)} \u00d7 ${gpuWord(machineOf(plan, option).gpu)}`,
      element("small", {}, isShort ? worth(plan, choices, option) : `${option.candidate}, ${option.strategy}`))},
    {name: unit[0], text: (option) => withRange(option, option.time_s, time)},
    {name: "USD", text: (option) => withRange(option, option.cost_usd, cellNumber)},
  ];
  if (plan.options.some((option) => option.usd_per_million_tokens)) columns.push({name: "USD per M tokens", spare: true, text: (option) => withRange(option, option.usd_per_million_tokens, plainNumber)});
  if (!isShort) {
    columns.push({name: "kWh", text: (option) => option.energy_kwh && option.energy_kwh.value > 0 ? withRange(option, option.energy_kwh, cellNumber) : "-"},
      {name: "MFU", text: (option) => option.flop_utilisation ? plainPercent(option.flop_utilisation) : "-"},
      {name: "memory", text: (option) => option.peak_memory_bytes ? plainBytes(option.peak_memory_bytes) : "-"},
      {name: "in training", text: (option) => plainPercent(option.goodput)}, {name: "largest part", left: true, text: (option) => option.bottleneck});
  }
  if (plan.limits.deadline_s || plan.limits.budget_usd) columns.push({name: "chance", text: (option) => element("span", {class: keeps(plan, option) ? "good" : ""}, option.simulated && option.chance !== null ? plainPercent(option.chance) : "-")});
  return columns;
}

function factsPanel(plan, option) {
  const facts = [];
  if (option.tokens_per_s) facts.push([plainNumber(option.tokens_per_s), "tokens/s"]);
  if (option.flop_utilisation) facts.push([plainPercent(option.flop_utilisation), "MFU"]);
  const memory = machineOf(plan, option).gpu_memory_bytes;
  if (option.peak_memory_bytes && memory) facts.push([`${digits(Math.round(option.peak_memory_bytes / 2 ** 30))} of ${plainBytes(memory)}`, "of a GPU"]);
  facts.push([plainPercent(1 - option.goodput), "for failures and checkpoints"]);
  const list = element("dl", {class: "facts"}, ...facts.map(([value, name]) => element("div", {}, element("dd", {}, value), element("dt", {}, name))));
  return panel("facts-of", "What A does", `${withCommas(option.gpus)} ${gpuWord(machineOf(plan, option).gpu)}`, list);
}

function drawPlan(plan, main) {
  const choices = choicesOf(plan);
  const beside = main.querySelector(".beside");
  beside.prepend(panel("worth wide-panel", "Worth discussing", "median, 90\u00a0% interval", table("choices", choiceColumns(plan, choices, true), choices.slice(0, LETTERED))),
    factsPanel(plan, choices[0]));
  const simulated = `ddlsim ${plan.ddlsim}, SimGrid ${plan.simgrid}. Medians and intervals are over samples of what is not known.`;
  addFold(main, fold(`All ${withCommas(plan.options.length)} options`, "", () => element("div", {}, element("p", {}, simulated), table("all options", choiceColumns(plan, choices, false), plan.options))),
    plan.refused.length > 0 && fold(`Cannot run: ${withCommas(plan.refused.length)}`, "", () => table("what cannot run", [
      {name: "candidate", left: true, text: (one) => one.candidate}, {name: "GPUs", text: (one) => withCommas(one.gpus)},
      {name: "strategy", left: true, text: (one) => one.strategy}, {name: "why", left: true, long: true, text: (one) => one.why}], plan.refused)));
  return plan.options;
}
