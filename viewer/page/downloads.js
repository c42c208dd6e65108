// Buttons: print, and the chart and the figures as files.

function save(name, content, type) {
  const link = element("a", {href: URL.createObjectURL(new Blob([content], {type})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function fileName(main, ending) {
  const title = document.querySelector("header.what b").textContent;
  return (title.replace(/[^A-Za-z0-9.]+/g, "-").replace(/^-+|-+$/g, "") || "ddlsim") + "." + ending;
}

// The chart that is shown, with its style, on white.
function shownChart(main) {
  const charts = Array.from(main.querySelectorAll("svg.chart.wide"));
  const chart = charts.find((one) => one.closest(".view").getClientRects().length > 0) || charts[0];
  const copy = chart.cloneNode(true);
  for (const one of copy.querySelectorAll(".hit, .marker")) one.remove();
  copy.removeAttribute("tabindex");
  const style = document.createElementNS(copy.namespaceURI, "style");
  style.textContent = document.getElementById("chart-style").textContent;
  const ground = document.createElementNS(copy.namespaceURI, "rect");
  for (const [name, value] of [["class", "ground"], ["width", "100%"], ["height", "100%"]]) ground.setAttribute(name, value);
  copy.prepend(style, ground);
  return new XMLSerializer().serializeToString(copy);
}

function savePng(main) {
  const image = new Image();
  image.onload = () => {
    const scale = 2;
    const canvas = element("canvas", {width: image.width * scale, height: image.height * scale});
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(fileName(main, "png"), blob, "image/png"));
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(shownChart(main));
}

function csvCell(value) {
  const text = value === undefined || value === null ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? "'" + text : text; // a spreadsheet would compute it
  return /[",\n\r]/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
}

// The fields of an object by their paths: {a: {b: 1}} is a.b.
function flat(value, path, row) {
  if (value === null || typeof value !== "object") row[path] = value;
  else if (!Array.isArray(value)) for (const [name, one] of Object.entries(value)) flat(one, path ? path + "." + name : name, row);
  return row;
}

function toCsv(list) {
  const rows = list.map((one) => flat(one, "", {}));
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [names, ...rows.map((row) => names.map((name) => row[name]))].map((cells) => cells.map(csvCell).join(",")).join("\n") + "\n";
}

function addDownloads(shown, main, list) {
  const button = (text, click) => element("button", {type: "button", click}, text);
  const tools = element("div", {class: "tools"}, button("Print", () => window.print()));
  if (main.querySelector("svg.chart")) {
    tools.append(button("Figure (SVG)", () => save(fileName(main, "svg"), shownChart(main), "image/svg+xml")),
      button("Figure (PNG)", () => savePng(main)));
  }
  if (list) tools.append(button("Data (CSV)", () => save(fileName(main, "csv"), toCsv(list), "text/csv")));
  shown.querySelector("header.what").append(tools);
}
