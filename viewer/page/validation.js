// What a validation's page has besides verdict and charts.

function scoreRows(answer) {
  return Object.entries(answer.overall).map(([split, scores]) => ({split, scores}));
}

function drawValidation(answer, main) {
  const rows = scoreRows(answer).filter(({scores}) => Object.keys(scores).length > 0);
  const own = answer.methods[0];
  const share = (value) => value === null || value === undefined ? "-" : (100 * value).toFixed(1) + "\u00a0%";
  const scores = () => table("scores by split", [
    {name: "split", left: true, text: ({split}) => split}, {name: "points", text: (row) => withCommas((row.scores[own] || {points: 0}).points)},
    {name: "covered by 90\u00a0%", text: (row) => share((row.scores[own] || {}).coverage)},
    ...answer.methods.map((method) => ({name: method, text: (row) => share((row.scores[method] || {}).mean_error)}))], rows);
  main.querySelector(".beside").prepend(panel("scores", "Mean error", own, table("mean error by split", [
    {name: "split", left: true, text: ({split}) => split}, {name: "error", text: (row) => share((row.scores[own] || {}).mean_error)},
    {name: "covered", text: (row) => share((row.scores[own] || {}).coverage)}], rows)));
  addFold(main, fold("All methods", "mean error by split", scores),
    fold(`All ${withCommas(answer.points.length)} points`, "", () => table("all points", [
      {name: "split", left: true, text: (point) => point.split}, {name: "series", left: true, text: (point) => point.series}, {name: "GPUs", text: (point) => withCommas(point.gpus)},
      {name: "measured", text: (point) => plainTime(point.measured_s)},
      {name: "predicted", text: (point) => point.methods[own] ? element("span", {}, plainTime(point.methods[own].predicted_s), point.methods[own].low_s ? element("small", {}, rangeText(point.methods[own].low_s, point.methods[own].high_s, plainTime)) : "") : "-"},
      {name: "off", text: (point) => point.methods[own] ? (100 * Math.log(point.methods[own].predicted_s / point.measured_s)).toFixed(1) + "\u00a0%" : "-"}], answer.points)));
  return answer.points.map(({methods, ...point}) => ({...point, ...(methods[own] || {})}));
}
