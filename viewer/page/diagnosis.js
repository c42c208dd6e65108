// What a diagnosis' page has besides verdict and charts.

function pointName(point) {
  const what = point.what.replace(/_/g, "-");
  if (!point.size_bytes) return what;
  const unit = point.size_bytes >= 2 ** 30 ? [30, "GiB"] : point.size_bytes >= 2 ** 20 ? [20, "MiB"] : point.size_bytes >= 1024 ? [10, "KiB"] : [0, "B"];
  return `${what} of ${digits(threeDigits(point.size_bytes / 2 ** unit[0]))} ${unit[1]}`;
}

// Whole per cent that add up to 100: those with the largest rests are rounded up.
function wholePercents(shares) {
  const percents = shares.map((share) => Math.floor(100 * share));
  const rests = shares.map((share, i) => ({i, rest: 100 * share - percents[i]})).sort((a, b) => b.rest - a.rest);
  for (let missing = 100 - percents.reduce((a, b) => a + b, 0); missing > 0 && rests.length > 0; --missing) ++percents[rests.shift().i];
  return percents;
}

function severityText(cause) {
  if (!cause.times_as_slow || cause.times_as_slow === 1) return "";
  const two = (value) => Number(value.toPrecision(2)).toString();
  return `${two(cause.times_as_slow)} times as slow (${two(cause.times_as_slow_low)} to ${two(cause.times_as_slow_high)})`;
}

function causesPanel(causes) {
  const percents = wholePercents(causes.map((cause) => cause.chance));
  const rows = causes.map((cause, i) => ({cause, percent: percents[i]})).filter(({percent}, i) => i === 0 || percent >= 5).slice(0, 3);
  const list = rows.map(({cause, percent}) => {
    const text = `${percent}\u00a0%`;
    return element("div", {}, element("div", {class: "bars cause"}, element("b", {}, cause.what), track({low: 0, high: percent / 100, kind: "whole", label: text}), element("b", {}, text)),
      element("p", {}, element("small", {}, severityText(cause) || cause.look_at)));
  });
  return panel("causes", "What explains it", "", ...list);
}

function drawDiagnosis(answer, main) {
  const isBad = answer.verdict === "not-normal" || answer.verdict === "not normal";
  const causes = main.querySelector(".panel.causes");
  if (causes && isBad) causes.replaceWith(causesPanel(answer.causes));
  if (causes && !isBad) causes.remove();
  const words = {slower: "slower", faster: "faster", inside: "inside"};
  addFold(main, fold(`All ${withCommas(answer.points.length)} points`, "yours and expected", () => table("all points", [
    {name: "what", left: true, text: pointName}, {name: "GPUs", text: (point) => withCommas(point.gpus)}, {name: "yours", text: (point) => plainTime(point.time_s)},
    {name: "healthy (90\u00a0%)", text: (point) => element("span", {}, plainTime(point.expected_s), element("small", {}, rangeText(point.expected_s_low, point.expected_s_high, plainTime)))},
    {name: "bus bandwidth", text: (point) => point.bus_Bps ? plainNumber(point.bus_Bps / 1e9) + " GB/s" : "-"},
    {name: "is", left: true, text: (point) => element("span", {class: point.is === "slower" ? "bad" : ""}, words[point.is] || point.is)}], answer.points)),
  fold("All causes", "", () => table("all causes", [{name: "cause", left: true, text: (cause) => cause.what}, {name: "chance", text: (cause) => plainPercent(cause.chance)},
    {name: "how slow", left: true, text: severityText}, {name: "look at", left: true, long: true, text: (cause) => cause.look_at}], answer.causes)));
  return answer.points;
}
