// What a prediction's page has besides verdict and charts.

const PARTS = [
  {field: "compute_s", name: "compute", kind: "compute"}, {field: "synchronisation_s", name: "sync overhead", kind: "sync"},
  {field: "straggling_s", name: "waiting for the slowest node", kind: "wait"},
  {field: "exposed_communication_s", name: "exposed communication", kind: "network"},
  {field: "neighbours_s", name: "traffic of other jobs", kind: "rest"}, {field: "input_wait_s", name: "data loading", kind: "input"},
  {field: "bubble_s", name: "pipeline bubble", kind: "rest"}, {field: "unexplained_s", name: "more in measured runs", kind: "rest"},
];

// The points of each strategy; each has a point, or its error, for every scale.
function strategiesOf(answer) {
  const each = answer.points.length / answer.strategies.length;
  return answer.strategies.map((strategy, i) => ({
    ...strategy, name: strategy.in_words.replace(/^(the|a) /, ""),
    all: answer.points.slice(i * each, (i + 1) * each), points: answer.points.slice(i * each, (i + 1) * each).filter((point) => !point.error),
  }));
}

function rateUnit(answer) {
  return answer.tokens_per_sample ? {name: "tokens", factor: answer.tokens_per_sample} : {name: answer.unit || "samples", factor: 1};
}

function pointAt(strategy, gpus) {
  return strategy.points.find((point) => point.gpus === gpus);
}

function rateText(answer, point) {
  const {name, factor} = rateUnit(answer);
  return `${plainNumber(factor * point.samples_per_s)} ${name}/s (${rangeText(factor * point.samples_per_s_low, factor * point.samples_per_s_high, plainNumber)})`;
}

// Bars of the strategies at one scale, with their intervals.
function waysBars(answer, strategies, gpus) {
  const {factor} = rateUnit(answer);
  const there = strategies.filter((one) => pointAt(one, gpus));
  const most = Math.max(...there.map((one) => pointAt(one, gpus).samples_per_s_high));
  const bars = element("div", {class: "bars"});
  for (const one of there) {
    const point = pointAt(one, gpus);
    bars.append(element("span", {}, one.name), track({low: point.samples_per_s_low / most, high: point.samples_per_s_high / most,
      value: point.samples_per_s / most, label: rateText(answer, point)}), element("span", {}, cellNumber(factor * point.samples_per_s)));
  }
  return bars;
}

function measureBars(next) {
  if (!next || !next.half_width_now || next.half_width_now - next.half_width_then < 0.01) return "";
  const bars = element("div", {class: "bars"});
  for (const [name, half, kind] of [["now", next.half_width_now, "grey"], ["after it", next.half_width_then, "whole"]]) {
    const text = "\u00b1" + plainPercent(half);
    const share = 0.45 * half / next.half_width_now;
    bars.append(element("span", {}, name), track({low: 0.5 - share, high: 0.5 + share, limit: 0.5, kind, label: text}), element("b", {}, text));
  }
  return bars;
}

function memoryPanel(answer, strategies) {
  const limit = answer.machine && answer.machine.gpu_memory_bytes;
  const rows = strategies.flatMap((one) => pick(one.points.filter((point) => point.memory), 3).map((point) => ({one, point})));
  const matters = answer.tokens_per_sample || rows.some(({point}) => point.memory.fit !== "fits");
  if (!limit || rows.length === 0 || !matters) return null;
  const most = Math.max(1.15 * limit, ...rows.map(({point}) => point.memory.peak_bytes));
  const bars = element("div", {class: "bars"});
  for (const {one, point} of rows.slice(0, 9)) {
    const bytes = point.memory.peak_bytes;
    const words = {fits: "", tight: ", tight", "too-large": ", does not fit"}[point.memory.fit] ?? ", does not fit";
    bars.append(element("span", {}, `${one.name}, ${withCommas(point.gpus)}`),
      track({low: 0, high: bytes / most, limit: limit / most, kind: words === ", does not fit" ? "bad" : "whole", label: plainBytes(bytes) + words}),
      element("span", {}, plainBytes(bytes), words ? element("small", {class: words === ", tight" ? "" : "bad"}, words.replace(",", "")) : ""));
  }
  return panel("memory", "Peak memory of a GPU", `of ${plainBytes(limit)}; strategy, GPUs`, bars);
}

// So many of a list, from its first to its last.
function pick(list, count) {
  if (list.length <= count) return list;
  return Array.from({length: count}, (_, i) => list[Math.round(i * (list.length - 1) / (count - 1))]);
}

function timeBar(answer, strategy, point) {
  const total = PARTS.reduce((sum, part) => sum + Math.max(0, point[part.field] || 0), 0);
  const stack = element("div", {class: "stack", role: "img"});
  const legend = element("ul", {class: "legend"});
  const words = [];
  for (const part of PARTS) {
    const seconds = point[part.field] || 0;
    if (seconds < -0.005 * total) legend.append(element("li", {class: "plain"}, `measured runs take ${plainTime(-seconds)} less`));
    if (seconds < 0.002 * total) continue;
    const share = seconds / point.iteration_s;
    const bar = element("i", {class: part.kind + (seconds / total < 0.12 ? " slim" : "")}, seconds / total > 0.16 ? `${part.name} ${plainPercent(share)}` : seconds / total > 0.045 ? plainPercent(share) : "");
    bar.style.width = (100 * seconds / total).toFixed(3) + "%";
    stack.append(bar);
    legend.append(element("li", {class: part.kind}, part.name + " ", element("b", {}, plainTime(seconds)), ", " + plainPercent(share)));
    words.push(part.name + " " + plainPercent(share));
  }
  stack.setAttribute("aria-label", words.join(", "));
  return [stack, legend];
}

// What a GPU makes of its peak: efficiency says little where no single GPU holds the model.
function useText(answer, point) {
  if (!answer.tokens_per_sample) return `, ${plainPercent(point.efficiency)} of perfect scaling`;
  return `, ${plainNumber(point.tokens_per_s / point.gpus)} a GPU` + (point.flop_utilisation ? `, ${plainPercent(point.flop_utilisation)} MFU` : "");
}

function costText(answer, point, price) {
  if (!(price > 0)) return "";
  const {name, factor} = rateUnit(answer);
  const usdPerSecond = price * point.gpus / 3600;
  const per = (rate) => 1e6 * usdPerSecond / (factor * rate);
  return ` ${plainNumber(price * point.gpus)} USD an hour; ${plainNumber(per(point.samples_per_s))} USD per million ${name} (${rangeText(per(point.samples_per_s_high), per(point.samples_per_s_low), plainNumber)}).`;
}

function markScale(main, gpus) {
  for (const old of main.querySelectorAll(".marker")) old.remove();
  for (const chart of main.querySelectorAll("svg.chart")) {
    const hit = chart.querySelector(`.hit[data-x="${gpus}"]`);
    if (!hit) continue;
    const line = document.createElementNS(chart.namespaceURI, "path");
    line.setAttribute("class", "marker");
    line.setAttribute("d", `M${hit.getAttribute("cx")} ${chart.dataset.top}V${chart.dataset.bottom}`);
    chart.insertBefore(line, chart.querySelector(".hit"));
  }
}

// The part of the page that follows the scale: bar of time, bars of the strategies, cost.
function addScale(answer, main, strategies, strategy) {
  const scales = strategy.points.map((point) => point.gpus);
  const title = element("h2", {});
  const said = element("p", {class: "said", "aria-live": "polite"});
  const body = element("div", {});
  const slider = element("input", {type: "range", id: "gpus", min: 0, max: scales.length - 1, step: 1});
  const shownScale = element("output", {for: "gpus"});
  const price = element("input", {type: "number", id: "price", min: 0, step: "any", placeholder: "?"});
  const show = () => {
    const gpus = scales[Number(slider.value)];
    const point = pointAt(strategy, gpus);
    shownScale.textContent = withCommas(gpus) + " GPUs";
    slider.setAttribute("aria-valuetext", shownScale.textContent);
    title.replaceChildren(`Where an iteration of ${plainTime(point.iteration_s)} goes `,
      element("span", {}, `(${withCommas(gpus)} GPUs, ${strategy.name}; 90\u00a0%: ${rangeText(point.iteration_s_low, point.iteration_s_high, plainTime)})`));
    body.replaceChildren(...timeBar(answer, strategy, point));
    said.textContent = `At ${withCommas(gpus)} GPUs: ${rateText(answer, point)}${useText(answer, point)}.` + costText(answer, point, Number(price.value));
    const ways = main.querySelector(".panel.ways");
    if (ways) {
      ways.querySelector("h2").replaceChildren(`At ${withCommas(gpus)} GPUs`, element("span", {}, ` ${rateUnit(answer).name}/s, 90\u00a0% interval`));
      ways.querySelector(".bars").replaceWith(waysBars(answer, strategies, gpus));
    }
    markScale(main, gpus === answer.at_hand_gpus ? 0 : gpus);
  };
  const wanted = Number(choices().get("gpus") || answer.at_hand_gpus);
  slider.value = Math.max(0, scales.indexOf(scales.filter((gpus) => gpus <= wanted).pop()));
  price.value = choices().get("price") || "";
  slider.addEventListener("input", () => { show(); keepChoice("gpus", scales[Number(slider.value)]); });
  price.addEventListener("input", () => { show(); keepChoice("price", price.value); });
  main.querySelector(".body").after(element("section", {class: "time", "aria-label": "at one scale"},
    element("div", {class: "head"}, title, element("div", {class: "ask no-print"},
      element("label", {}, "at", slider, shownScale), element("label", {}, price, "USD a GPU-hour"))), body, said));
  show();
}

function figuresTable(answer, rows, isPrint) {
  const {name, factor} = rateUnit(answer);
  const interval = (low, high, text) => element("small", {}, rangeText(low, high, text));
  const columns = [
    {name: "GPUs", text: ({point}) => withCommas(point.gpus)}, {name: "strategy", left: true, text: ({one}) => one.name},
    {name: name + "/s", text: ({point}) => element("span", {}, cellNumber(factor * point.samples_per_s), interval(factor * point.samples_per_s_low, factor * point.samples_per_s_high, cellNumber))},
    {name: "efficiency", text: ({point}) => element("span", {}, plainPercent(point.efficiency), interval(point.efficiency_low, point.efficiency_high, plainPercent))},
    {name: "iteration", text: ({point}) => element("span", {}, plainTime(point.iteration_s), interval(point.iteration_s_low, point.iteration_s_high, plainTime))},
  ];
  if (answer.tokens_per_sample) columns.splice(4, 0, {name: "MFU", text: ({point}) => point.flop_utilisation ? plainPercent(point.flop_utilisation) : "-"});
  if (rows.some(({point}) => point.measured)) columns.push({name: "measured", text: ({point}) => point.measured ? plainTime(point.measured.iteration_s) : ""});
  if (rows.some(({point}) => point.memory)) columns.push({name: "memory", text: ({point}) => point.memory ? plainBytes(point.memory.peak_bytes) : ""});
  if (!isPrint) columns.push({name: "how known", left: true, text: ({point}) => ({calibrated: "measured here", extrapolated: "estimated from runs here", transferred: "estimated from other clusters"}[point.evidence] || "from data sheets, or stated")});
  return table("all figures", columns, rows);
}

function partsTable(rows) {
  const used = PARTS.filter((part) => rows.some(({point}) => point[part.field]));
  return table("where the time goes", [{name: "GPUs", text: ({point}) => withCommas(point.gpus)}, {name: "strategy", left: true, text: ({one}) => one.name},
    ...used.map((part) => ({name: part.name, text: ({point}) => point[part.field] ? plainTime(Math.abs(point[part.field])) + (point[part.field] < 0 ? " less" : "") : "-"}))], rows);
}

function memoryTable(rows) {
  const parts = ["weights", "gradients", "optimizer", "gathered", "activations", "working", "logits", "reserve"];
  const used = parts.filter((part) => rows.some(({point}) => point.memory[part + "_bytes"] > 0));
  return table("what memory is made of", [{name: "GPUs", text: ({point}) => withCommas(point.gpus)}, {name: "strategy", left: true, text: ({one}) => one.name},
    {name: "peak", text: ({point}) => plainBytes(point.memory.peak_bytes)}, ...used.map((part) => ({name: part, text: ({point}) => plainBytes(point.memory[part + "_bytes"])}))], rows);
}

function drawPrediction(answer, main) {
  const strategies = strategiesOf(answer);
  const strategy = strategies[Number(main.dataset.row)];
  const rows = strategies.flatMap((one) => one.points.map((point) => ({one, point})));
  const failed = strategies.flatMap((one) => one.all.filter((point) => point.error).map((point) => ({one, point})));
  const memory = rows.filter(({point}) => point.memory);
  addFold(main, rows.length > 0 && fold("All figures", `${withCommas(rows.length)} rows`, () => figuresTable(answer, rows, false)),
    rows.length > 0 && fold("Time by scale and strategy", "", () => partsTable(rows)),
    memory.length > 0 && fold("What memory is made of", "", () => memoryTable(memory)),
    failed.length > 0 && fold("Cannot run", withCommas(failed.length), () => table("what cannot run", [{name: "GPUs", text: ({point}) => withCommas(point.gpus)},
      {name: "strategy", left: true, text: ({one}) => one.name}, {name: "why", left: true, long: true, text: ({point}) => point.error}], failed)),
    filesFold(answer.produced_by.files, `ddlsim ${answer.produced_by.ddlsim}, SimGrid ${answer.produced_by.simgrid}, seed ${answer.produced_by.seed}, ${answer.produced_by.samples} samples.`));
  if (strategy.points.length === 0) return answer.points;
  const ways = main.querySelector(".panel.ways");
  if (ways) ways.querySelector("h2").after(element("div", {class: "bars"}));
  const sure = main.querySelector(".panel.sure");
  const next = [strategy.at_hand && strategy.at_hand.measure_next, strategy.measure_next].find((one) => measureBars(one) !== "");
  if (sure && next) sure.append(measureBars(next));
  const time = main.querySelector(".panel.parts");
  if (time) time.remove();
  const memoryBars = memoryPanel(answer, strategies);
  if (memoryBars) main.querySelector(".beside").prepend(memoryBars);
  addScale(answer, main, strategies, strategy);
  const print = pick(strategy.points, 6).map((point) => ({one: strategy, point}));
  main.append(element("div", {class: "only-print"}, figuresTable(answer, print, true)));
  return answer.points;
}
