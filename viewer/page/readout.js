// The values of a chart's point: under the pointer, and with the arrow keys once the chart has the focus.

function showTip(text, x, y) {
  const tip = document.getElementById("tip");
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 14, document.documentElement.clientWidth - box.width - 4)) + "px";
  tip.style.top = (y - box.height - 12 < 4 ? y + 18 : y - box.height - 12) + "px";
}

function leavePoint(chart) {
  for (const one of chart.querySelectorAll(".hit.on")) one.classList.remove("on");
  document.getElementById("tip").hidden = true;
}

function readPoint(chart, hit) {
  leavePoint(chart);
  hit.classList.add("on");
  const box = hit.getBoundingClientRect();
  showTip(hit.dataset.text, box.left + box.width / 2, box.top + box.height / 2);
}

function nearestHit(hits, x, y) {
  const reach = 24;
  let best = null;
  let least = reach * reach;
  for (const hit of hits) {
    const away = (hit.cx.baseVal.value - x) ** 2 + (hit.cy.baseVal.value - y) ** 2;
    if (away < least) [best, least] = [hit, away];
  }
  return best;
}

function addReadouts(root) {
  for (const chart of root.querySelectorAll("svg.chart")) {
    const hits = Array.from(chart.querySelectorAll(".hit"));
    if (hits.length === 0) continue;
    for (const hit of hits) { // the browser's own tip would cover ours
      const title = hit.querySelector("title");
      hit.dataset.text = title.textContent;
      title.remove();
    }
    chart.setAttribute("tabindex", "0");
    chart.setAttribute("aria-label", chart.getAttribute("aria-label") + "; arrow keys read the points");
    let at = -1;
    const go = (to) => {
      at = Math.max(0, Math.min(hits.length - 1, to));
      readPoint(chart, hits[at]);
    };
    chart.addEventListener("pointermove", (event) => {
      const box = chart.getBoundingClientRect();
      const scale = chart.viewBox.baseVal.width / box.width;
      const hit = nearestHit(hits, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
      if (hit) go(hits.indexOf(hit));
      else leavePoint(chart);
    });
    chart.addEventListener("pointerleave", () => leavePoint(chart));
    chart.addEventListener("blur", () => leavePoint(chart));
    chart.addEventListener("keydown", (event) => {
      const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: hits.length - 1}[event.key];
      if (event.key === "Escape") leavePoint(chart);
      if (to === undefined) return;
      event.preventDefault();
      go(to);
    });
  }
}
