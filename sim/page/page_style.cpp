#include "sim/page/page.hpp"

namespace ddlsim {
namespace {

// The style sheet. Its colours are M. Okabe and K. Ito's palette, which colour-blind readers can distinguish. They are
// lighter on a dark page.
constexpr const char* style = R"css(
:root { --paper: #ffffff; --ink: #1c1c1c; --soft: #5b5b5b; --line: #d4d4d4; --band: #f3f3f3;
  --reduce: #0072b2; --server: #c25100; --async: #00805e; --fourth: #9a4d80; --fifth: #6b5900; --best: #e3f1e3; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --ink: #ececec; --soft: #ababab; --line: #3d4147; --band: #202327;
    --reduce: #63b8ef; --server: #f59b53; --async: #3fc79f; --fourth: #e2a1cb; --fifth: #e0cf5a; --best: #1f3a26; } }
body { background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; margin: 0 auto;
  max-width: 1400px; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; border-top: 2px solid var(--line); padding-top: 1rem; }
nav a { display: inline-block; margin-right: 1rem; } a { color: var(--reduce); }
p, li, figcaption, caption { max-width: min(75ch, calc(100vw - 3rem)); }
.charts { display: flex; flex-wrap: wrap; gap: 1.5rem; }
figure { margin: 0; flex: 1 1 560px; max-width: 680px; min-width: 0; overflow-x: auto; }
figcaption, caption { color: var(--soft); text-align: left; }
svg { width: 100%; min-width: 520px; height: auto; background: var(--band); }
svg text { fill: var(--ink); font-size: 11px; }
.box { overflow: auto; max-height: 34rem; margin: 1rem 0; } table { border-collapse: collapse; font-size: 0.87rem;
  width: max-content; }
th, td { border-bottom: 1px solid var(--line); padding: 0.15rem 0.55rem; text-align: right; white-space: nowrap; }
th[scope=row], td.t, th.t { text-align: left; } th[scope=row] { font-weight: normal; }
th[scope=row], td.t { white-space: normal; overflow-wrap: anywhere; min-width: 6rem; max-width: 24rem; }
@media (max-width: 640px) { th[scope=row] { max-width: 9rem; } svg.shrinks { min-width: 0; }
  svg.shrinks text { font-size: 17px; } }
thead th { position: sticky; top: 0; background: var(--paper); } tr:target, tr.sum { background: var(--band); }
td.best { background: var(--best); font-weight: bold; }
.answer { background: var(--band); border-left: 4px solid var(--reduce); padding: 0.2rem 1rem; max-width: 80ch;
  margin-bottom: 1.2rem; }
td > .long { width: 26rem; white-space: normal; } h2 { margin-top: 2rem; }
.warning { border-left: 4px solid var(--server); padding-left: 0.7rem; }
pre { font-size: 0.8rem; overflow-x: auto; background: var(--band); padding: 0.6rem; overflow-wrap: normal; }
summary { cursor: pointer; margin: 0.7rem 0; }
.grid { stroke: var(--line); } .zero { stroke: var(--ink); } .near { stroke: var(--soft); stroke-dasharray: 4 4; }
.bound { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 10 3 2 3; }
.mean { stroke: var(--ink); stroke-width: 3; }
.m { fill: var(--reduce); stroke: var(--reduce); fill-opacity: 0.55; }
.ps { fill: var(--server); stroke: var(--server); } .as { fill: var(--async); stroke: var(--async); }
.c { fill-opacity: 0; } .on { stroke: var(--ink); stroke-width: 3; fill-opacity: 1; }
.over { stroke-dasharray: 2 2; }
.k0 { --own: var(--reduce); } .k1 { --own: var(--server); } .k2 { --own: var(--async); }
.k3 { --own: var(--fourth); } .k4 { --own: var(--fifth); } .k5 { --own: var(--soft); }
.d1 { stroke-dasharray: 7 4; } .d2 { stroke-dasharray: 2 3; } .d3 { stroke-dasharray: 9 3 2 3; }
.curve { fill: none; stroke: var(--own); stroke-width: 1.8; } .reach { stroke: var(--own); stroke-width: 2; }
.thin { stroke-width: 1; stroke-opacity: 0.55; stroke-dasharray: none; }
.band { fill: var(--own); fill-opacity: 0.13; stroke: none; } .many .band { fill-opacity: 0.06; }
svg text.note { paint-order: stroke; stroke: var(--band); stroke-width: 4px; stroke-linejoin: round; }
.dot { fill: var(--own); stroke: var(--paper); stroke-width: 0.7; } .dot.open { fill: var(--paper); stroke: var(--own); }
.dot.ring { fill: none; stroke: var(--ink); stroke-width: 1.3; }
.dot.on, .dot:focus { stroke: var(--ink); stroke-width: 2; outline: none; }
.expected { fill: var(--line); } .learnt { stroke: var(--reduce); stroke-width: 5; }
.front { fill: none; stroke: var(--ink); stroke-width: 2.5; stroke-dasharray: 2 4; }
.legend { list-style: none; padding: 0; margin: 0.6rem 0; font-size: 0.87rem; display: flex; flex-wrap: wrap; }
.legend li { margin: 0.1rem 1.4rem 0.1rem 0; } .off { display: none; }
svg.swatch { width: 40px; min-width: 0; height: 12px; background: none; vertical-align: middle; }
svg.key { width: 12px; min-width: 0; height: 12px; vertical-align: middle; }
#pick { display: flex; flex-wrap: wrap; gap: 0.5rem 1.2rem; align-items: end; margin: 1rem 0; }
#pick[hidden] { display: none; } #pick label { display: grid; font-size: 0.87rem; color: var(--soft); }
select { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--soft);
  padding: 0.25rem; max-width: calc(100vw - 3rem); }
svg.parts { min-width: 0; width: 160px; } .parts rect { stroke: var(--paper); }
.q1 { fill: var(--reduce); } .q2 { fill: var(--server); } .q3 { fill: var(--async); } .q4 { fill: var(--soft); }
.q5 { fill: var(--line); } .q6 { fill: var(--ink); } .q7 { fill: var(--fourth); } .q8 { fill: var(--fifth); }
#tip { position: fixed; z-index: 2; background: var(--paper); border: 1px solid var(--ink); padding: 0.3rem 0.6rem;
  white-space: pre-wrap; overflow-wrap: anywhere; max-width: min(30rem, calc(100vw - 3rem)); font-size: 0.85rem;
  pointer-events: none; }
#tip[hidden] { display: none; }
:focus-visible { outline: 3px solid var(--reduce); outline-offset: -3px; }
@media print {
  :root { --paper: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb; --band: #ffffff; --reduce: #0072b2;
    --server: #c25100; --async: #00805e; --fourth: #9a4d80; --fifth: #6b5900; --best: #ffffff; }
  body { font-size: 10pt; max-width: none; padding: 0; print-color-adjust: exact; }
  nav, #pick, #tip, details.raw { display: none; }
  .box { overflow: visible; max-height: none; } thead { display: table-header-group; } thead th { position: static; }
  figure, tr { break-inside: avoid; } figure { overflow: visible; flex-basis: 40%; } svg { min-width: 0; }
  table { width: 100%; font-size: 7pt; } td > .long { width: auto; }
  th, td, th[scope=row], td.t { white-space: normal; padding: 0.1rem 0.2rem; min-width: 0; overflow-wrap: break-word; }
}
@page { size: landscape; margin: 12mm; }
)css";

} // namespace

std::string page_style() {
  return style;
}

} // namespace ddlsim
