"use strict";
// Figures as the program writes them, and elements of the page. Foreign text only ever becomes text.

function threeDigits(value) {
  if (value === 0 || !Number.isFinite(value)) return value;
  const step = Math.pow(10, Math.floor(Math.log10(Math.abs(value))) - 2);
  return Math.round(value / step) * step;
}

function digits(rounded) {
  const size = Math.abs(rounded);
  const decimals = size === 0 || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  const text = rounded.toFixed(decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function withPrefix(rounded) {
  for (const [size, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (Math.abs(rounded) >= size) return digits(rounded / size) + letter;
  return digits(rounded);
}

function withCommas(count) {
  return Math.round(count).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

function plainNumber(value) {
  const rounded = threeDigits(value);
  if (Math.abs(rounded) >= 1e6) return withPrefix(rounded);
  return Math.abs(rounded) >= 1e3 ? withCommas(rounded) : digits(rounded);
}

function cellNumber(value) {
  const rounded = threeDigits(value);
  return Math.abs(rounded) < 1e4 ? plainNumber(rounded) : withPrefix(rounded);
}

function plainPercent(share) {
  const percent = 100 * share;
  return (percent !== 0 && Math.abs(percent) < 0.95 ? percent.toFixed(1) : percent.toFixed(0)) + "\u00a0%";
}

function plainTime(seconds) {
  const of = (unit, name) => digits(threeDigits(seconds / unit)) + " " + name;
  if (seconds >= 2 * 86400) return of(86400, "d");
  if (seconds >= 7200) return of(3600, "h");
  if (seconds >= 120) return of(60, "min");
  if (seconds >= 1 || seconds === 0) return of(1, "s");
  return seconds >= 1e-3 ? of(1e-3, "ms") : of(1e-6, "us");
}

function plainBytes(bytes) {
  return digits(threeDigits(bytes / 2 ** 30)) + " GiB";
}

function rangeText(low, high, text) {
  const [from, to] = [text(low), text(high)];
  const unit = (to.match(/[\s\u00a0][^\s\u00a0]+$/) || [""])[0];
  return (unit && from.endsWith(unit) ? from.slice(0, -unit.length) : from) + " to " + to;
}

// Elements: element("p", {class: "x"}, "text", other). Functions among the attributes are listeners.
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((one) => one !== "" && one !== null && one !== undefined));
  return made;
}

function panel(kind, title, note, ...content) {
  return element("section", {class: "panel " + kind}, element("h2", {}, title, note ? element("span", {}, " " + note) : ""), ...content);
}

// A bar from low to high on a track of 0 to 1, with a dot at `value` and a line at `limit`.
function track({low, high, value, limit, kind, label}) {
  const share = (one) => (100 * Math.min(1, Math.max(0, one))).toFixed(2) + "%";
  const bar = element("i", {class: kind || ""});
  bar.style.left = share(low);
  bar.style.width = share(Math.max(0, Math.min(1, high) - Math.max(0, low)));
  const made = element("span", {class: "track", role: "img", "aria-label": label}, bar);
  for (const [tag, at] of [["b", value], ["u", limit]]) {
    if (at === undefined) continue;
    const sign = element(tag);
    sign.style.left = share(at);
    made.append(sign);
  }
  return made;
}
