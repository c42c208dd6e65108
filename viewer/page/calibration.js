// What a calibration's page has besides verdict and charts. Its JSON is the file of the calibration: tables with shared texts.

// Rows of a table as objects; a column "name@" has positions in `shared`.
function unfolded(folded, shared) {
  return folded.rows.map((row) => {
    const one = {};
    folded.columns.forEach((column, i) => {
      if (typeof column === "object") one[Object.keys(column)[0]] = row[i];
      else if (!column.endsWith("@")) one[column] = row[i];
      else one[column.slice(0, -1)] = Number.isInteger(row[i]) ? shared[row[i]] : row[i];
    });
    return one;
  });
}

function scopeText(one) {
  return ["transport", "preset", "precision", "model"].map((field) => one[field]).filter((text) => typeof text === "string").join(", ") || "all";
}

function valueText(value, unit) {
  if (value === undefined || value === null) return "-";
  if (unit === "s") return plainTime(value);
  return plainNumber(value) + (typeof unit === "string" && unit !== "1" ? " " + unit : "");
}

function drawCalibration(answer, main) {
  const parameters = unfolded(answer.parameters, answer.shared);
  const series = unfolded(answer.series, answer.shared);
  const excluded = unfolded(answer.excluded, answer.shared);
  addFold(main, fold(`All ${withCommas(parameters.length)} parameters`, "", () => table("all parameters", [
    {name: "parameter", left: true, text: (one) => one.name}, {name: "holds for", left: true, text: scopeText},
    {name: "value (90\u00a0%)", text: (one) => element("span", {}, valueText(one.value, one.unit), one.low === undefined ? "" : element("small", {}, `${valueText(one.low, one.unit)} to ${valueText(one.high, one.unit)}`))},
    {name: "from the prior, in its deviations", text: (one) => one.z_score === undefined ? "-" : one.z_score.toFixed(1)},
    {name: "points", text: (one) => withCommas(one.points || 0)}, {name: "learnt", left: true, text: (one) => one.identified ? "yes" : "stays at its prior"}], parameters)),
  fold(`${withCommas(series.length)} series`, "", () => table("series", [
    {name: "series", left: true, text: (one) => `${one.file ? one.file + "/" : ""}${one.name}`}, {name: "strategy", left: true, text: (one) => String(one.strategy)},
    {name: "holds for", left: true, text: scopeText}, {name: "points", text: (one) => withCommas((one.points || []).length)},
    {name: "worst", text: (one) => one.points && one.points.length ? plainPercent(Math.max(...one.points.map((point) => Math.abs(point[2] || 0))) / 1e4) : "-"}], series)),
  excluded.length > 0 && fold(`${withCommas(excluded.length)} excluded or contradictory`, "", () => table("what was excluded", [
    {name: "what", left: true, long: true, text: (one) => String(one.what)}, {name: "why", left: true, long: true, text: (one) => String(one.why)}], excluded)));
  return parameters;
}
