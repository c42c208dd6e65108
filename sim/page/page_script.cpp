#include "sim/page/page.hpp"

namespace ddlsim {
namespace {

constexpr const char* script = R"js(//<![CDATA[
(function () {
  "use strict";
  var tip = document.getElementById("tip");
  var shown = null;
  function all(what, within) { return Array.prototype.slice.call((within || document).querySelectorAll(what)); }
  function mark(id, on) {
    all('[data-p="' + id + '"]').forEach(function (one) { one.classList.toggle("on", on); });
  }
  function values(id) {
    var row = document.getElementById("p" + id);
    if (!row) { return ""; }
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
  function at(event, what) { return event.target.closest ? event.target.closest(what) : null; }
  all("[data-p] > title").forEach(function (title) {
    title.parentNode.setAttribute("aria-label", title.textContent);
    title.parentNode.setAttribute("tabindex", "-1");
    title.remove();
  });
  document.addEventListener("mousemove", function (event) {
    show(at(event, "[data-p]"));
    if (shown !== null) { place(event.clientX, event.clientY); }
  });
  document.addEventListener("focusout", function () { show(null); });
  document.addEventListener("keydown", function (event) {
    var chart = at(event, "svg.points");
    var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") { show(null); }
    if (!chart || !step) { return; }
    var known = {};
    var points = all("[data-p]", chart).filter(function (one) { // an outline of what was measured is no other point
      var id = one.getAttribute("data-p"), fresh = !known[id] && one.closest(".off") === null;
      known[id] = known[id] || fresh;
      return fresh;
    });
    if (points.length === 0) { return; }
    var now = points.findIndex(function (one) { return one.getAttribute("data-p") === shown; });
    var next = points[now === -1 ? 0 : (now + step + points.length) % points.length];
    var box = next.getBoundingClientRect();
    event.preventDefault();
    show(next);
    place(box.right, box.bottom);
  });
  window.addEventListener("beforeprint", function () {
    all("details:not(.raw)").forEach(function (one) { one.open = true; });
  });
  var pick = document.getElementById("pick");
  if (!pick) { return; }
  var choices = all("select", pick);
  function choose() {
    var count = 0, total = 0;
    all("[data-k]").forEach(function (one) {
      var own = one.getAttribute("data-k").split(" ");
      var off = choices.some(function (choice, i) { return choice.value !== "" && choice.value !== own[i]; });
      one.classList.toggle("off", off);
      if (one.tagName === "LI" && one.parentNode === document.querySelector(".legend")) {
        total += 1;
        count += off ? 0 : 1;
      }
    });
    document.getElementById("chosen").textContent = count + " of " + total + " curves";
  }
  function remember() {
    var words = choices.map(function (choice) { return choice.name + "=" + choice.value; });
    try { window.history.replaceState(null, "", "#" + words.join("&")); } catch (error) { return; }
  }
  function recall() {
    window.location.hash.slice(1).split("&").forEach(function (word) {
      var name = word.split("=")[0], value = word.split("=")[1];
      choices.forEach(function (choice) {
        var known = Array.prototype.some.call(choice.options, function (option) { return option.value === value; });
        if (choice.name === name && known) { choice.value = value; }
      });
    });
    choose();
  }
  pick.hidden = false;
  pick.addEventListener("change", function () { choose(); remember(); show(null); });
  window.addEventListener("hashchange", recall);
  recall();
})();
//]]>)js";

} // namespace

std::string page_script() {
  return script;
}

} // namespace ddlsim
