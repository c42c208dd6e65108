#include "validate/page/page.hpp"

#include "validate/page/html_text.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

// Blue, orange and green of M. Okabe and K. Ito's palette, told apart by colour-blind readers; lighter on dark.
constexpr const char* style = R"css(
:root { --paper: #ffffff; --ink: #1c1c1c; --soft: #5b5b5b; --line: #d4d4d4; --band: #f3f3f3;
  --reduce: #0072b2; --server: #c25100; --async: #00805e; --best: #e3f1e3; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --ink: #ececec; --soft: #ababab; --line: #3d4147; --band: #202327;
    --reduce: #63b8ef; --server: #f59b53; --async: #3fc79f; --best: #1f3a26; } }
body { background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; margin: 0 auto;
  max-width: 1400px; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; border-top: 2px solid var(--line); padding-top: 1rem; }
nav a { display: inline-block; margin-right: 1rem; } a { color: var(--reduce); }
p, figcaption, caption { max-width: min(75ch, calc(100vw - 3rem)); } .charts { display: flex; flex-wrap: wrap; gap: 1.5rem; }
figure { margin: 0; flex: 1 1 560px; max-width: 680px; min-width: 0; overflow-x: auto; } figcaption, caption { color: var(--soft); text-align: left; }
svg { width: 100%; min-width: 520px; height: auto; background: var(--band); } svg text { fill: var(--ink); font-size: 11px; }
.box { overflow: auto; max-height: 34rem; margin: 1rem 0; } table { border-collapse: collapse; font-size: 0.87rem;
  width: max-content; }
th, td { border-bottom: 1px solid var(--line); padding: 0.15rem 0.55rem; text-align: right; white-space: nowrap; }
th[scope=row], td.t, th.t { text-align: left; } th[scope=row] { font-weight: normal; }
th[scope=row], td.t { white-space: normal; overflow-wrap: anywhere; max-width: 24rem; }
@media (max-width: 640px) { th[scope=row] { max-width: 9rem; } }
thead th { position: sticky; top: 0; background: var(--paper); } tr:target, tr.sum { background: var(--band); }
td.best { background: var(--best); font-weight: bold; }
.grid { stroke: var(--line); } .zero { stroke: var(--ink); } .near { stroke: var(--soft); stroke-dasharray: 4 4; }
.mean { stroke: var(--ink); stroke-width: 3; }
.m { fill: var(--reduce); stroke: var(--reduce); fill-opacity: 0.55; }
.ps { fill: var(--server); stroke: var(--server); } .as { fill: var(--async); stroke: var(--async); }
.c { fill-opacity: 0; } .on { stroke: var(--ink); stroke-width: 3; fill-opacity: 1; }
.over { stroke-dasharray: 2 2; }
.parts { min-width: 0; } .parts rect { stroke: var(--paper); } .q1 { fill: var(--reduce); } .q2 { fill: var(--server); }
.q3 { fill: var(--async); } .q4 { fill: var(--soft); } .q5 { fill: var(--line); }
.q6 { fill: var(--ink); }
#tip { position: fixed; z-index: 2; background: var(--paper); border: 1px solid var(--ink); padding: 0.3rem 0.6rem;
  white-space: pre-wrap; overflow-wrap: anywhere; max-width: calc(100vw - 3rem); font-size: 0.85rem;
  pointer-events: none; }
#tip[hidden] { display: none; }
:focus-visible { outline: 3px solid var(--reduce); outline-offset: -3px; }
)css";

constexpr const char* script = R"js(//<![CDATA[
(function () {
  "use strict";
  var tip = document.getElementById("tip");
  var shown = null;
  function mark(id, on) {
    document.querySelectorAll('[data-p="' + id + '"]').forEach(function (one) { one.classList.toggle("on", on); });
  }
  function values(id) {
    var row = document.getElementById("p" + id);
    var heads = row.closest("table").tHead.rows[0].cells;
    return Array.prototype.map.call(row.cells, function (cell, i) {
      return cell.textContent === "" ? "" : heads[i].textContent + ": " + cell.textContent;
    }).filter(Boolean).join("\n");
  }
  function show(point) {
    var id = point === null ? null : point.getAttribute("data-p");
    if (id === shown) { return; }
    if (shown !== null) { mark(shown, false); }
    shown = id;
    tip.hidden = id === null;
    if (id === null) { return; }
    mark(id, true);
    tip.textContent = values(id);
  }
  function place(x, y) {
    tip.style.left = Math.max(0, Math.min(x + 14, window.innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = Math.max(0, Math.min(y + 14, window.innerHeight - tip.offsetHeight - 8)) + "px";
  }
  document.querySelectorAll("circle > title").forEach(function (title) { title.remove(); });
  document.addEventListener("mousemove", function (event) {
    show(event.target.closest ? event.target.closest("[data-p]") : null);
    if (shown !== null) { place(event.clientX, event.clientY); }
  });
  document.addEventListener("keydown", function (event) {
    var chart = event.target.closest ? event.target.closest("svg.points") : null;
    var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") { show(null); }
    if (!chart || !step) { return; }
    var points = Array.prototype.slice.call(chart.querySelectorAll("[data-p]"));
    if (points.length === 0) { return; }
    var at = points.findIndex(function (one) { return one.getAttribute("data-p") === shown; });
    var next = points[at === -1 ? 0 : (at + step + points.length) % points.length];
    var box = next.getBoundingClientRect();
    event.preventDefault();
    show(next);
    place(box.right, box.bottom);
  });
})();
//]]>)js";

} // namespace

std::string html_page(const std::string& title, const std::string& body) {
  return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                     "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{0}</title>\n<style>{1}</style>\n"
                     "</head>\n<body>\n<h1>{0}</h1>\n{2}<div id=\"tip\" role=\"status\" hidden=\"hidden\"></div>\n"
                     "<script>{3}</script>\n</body>\n</html>\n",
                     html_escaped(title), style, body, script);
}

} // namespace ddlsim
