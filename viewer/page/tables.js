// Tables, folded or not.

const MOST_ROWS = 300; // more are in the CSV

// columns: [{name, text: (row) => text or element, left: true, spare: true (its second line gives way on a telephone)}]
function table(caption, columns, rows) {
  const kind = (column) => (column.long ? "long" : column.left ? "t" : "") + (column.spare ? " spare" : "");
  const head = element("tr", {}, ...columns.map((column) => element("th", {scope: "col", class: column.left ? "t" : ""}, column.name)));
  const body = rows.slice(0, MOST_ROWS).map((row) => element("tr", {}, ...columns.map((column, i) =>
    element(i === 0 ? "th" : "td", {scope: i === 0 ? "row" : undefined, class: kind(column)}, column.text(row)))));
  const more = rows.length > MOST_ROWS ? element("p", {}, `The first ${MOST_ROWS} of ${withCommas(rows.length)} rows; Data (CSV) has all.`) : "";
  return element("div", {}, element("div", {class: "table", tabindex: "0", role: "region", "aria-label": caption},
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...body))), more);
}

// A fold whose content is made when it is opened.
function fold(title, note, make) {
  const made = element("details", {}, element("summary", {}, title, note ? element("span", {}, " " + note) : ""));
  made.addEventListener("toggle", () => {
    if (made.open && made.children.length === 1) made.append(make());
  });
  return made;
}

function addFold(main, ...folds) {
  main.querySelector(".folds").prepend(...folds.filter(Boolean));
}

function paragraphs(...texts) {
  return element("div", {}, ...texts.filter(Boolean).map((text) => element("p", {}, text)));
}

function filesFold(files, madeBy) {
  return fold("Sources, seed", "", () => element("div", {}, element("p", {}, madeBy), files.length === 0 ? "" :
    table("files with their checksums", [{name: "file", left: true, text: (one) => one.file}, {name: "FNV-1a", left: true, text: (one) => one.fnv1a}], files)));
}
