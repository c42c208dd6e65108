// Choosing among the answers of a sweep: a control for each thing that was varied. The address keeps the choice.

function dimensionsOf(sweep) {
  return sweep.names.map((name, i) => ({name, index: i, values: [...new Set(sweep.answers.map((answer) => answer.values[i]))]}))
    .filter((dimension) => dimension.values.length > 1);
}

// A slider where the values are numbers, else buttons; both tell `choose` the value's place.
function controlFor(dimension, at, choose) {
  const title = dimension.name.split("/").pop().replace(/_/g, " ");
  if (dimension.values.length > 3 && dimension.values.every((value) => value.trim() !== "" && Number.isFinite(Number(value)))) {
    const out = element("output", {}, dimension.values[at]);
    const slider = element("input", {type: "range", min: 0, max: dimension.values.length - 1, step: 1, "aria-valuetext": dimension.values[at]});
    slider.value = at;
    slider.addEventListener("input", () => {
      out.textContent = dimension.values[Number(slider.value)];
      slider.setAttribute("aria-valuetext", out.textContent);
      choose(Number(slider.value));
    });
    return element("label", {}, title, slider, out);
  }
  const buttons = dimension.values.flatMap((value, i) => {
    const id = `choice-${dimension.index}-${i}`;
    return [element("input", {type: "radio", name: `choice-${dimension.index}`, id, checked: i === at, change: () => choose(i)}), element("label", {for: id}, value)];
  });
  return element("fieldset", {}, element("legend", {}, title), ...buttons);
}

function showAnswer(shown, index) {
  const view = shown.querySelector("input[name=view]:checked");
  shown.replaceChildren(document.querySelectorAll("template.swept")[index].content.cloneNode(true));
  const same = view && shown.querySelector("#" + view.id);
  if (same) same.checked = true;
  if (shown.querySelector("script.answer")) drawAnswer(shown);
}

function openSweep(shown) {
  let sweep;
  try {
    sweep = JSON.parse(document.getElementById("sweep").textContent);
  } catch (error) {
    complain(shown, "The list of answers in this file cannot be read, because it was cut or changed; write the page again.");
    return;
  }
  const dimensions = dimensionsOf(sweep);
  const first = Math.max(0, sweep.answers.findIndex((answer) => answer.error === ""));
  const kept = choices();
  const chosen = dimensions.map((dimension) => {
    const asked = dimension.values.indexOf(kept.get(dimension.name));
    return asked >= 0 ? asked : dimension.values.indexOf(sweep.answers[first].values[dimension.index]);
  });
  const show = () => {
    const index = sweep.answers.findIndex((answer) => dimensions.every((dimension, i) => answer.values[dimension.index] === dimension.values[chosen[i]]));
    showAnswer(shown, Math.max(0, index));
  };
  dimensions.forEach((dimension, i) => document.getElementById("pick").append(controlFor(dimension, chosen[i], (at) => {
    chosen[i] = at;
    keepChoice(dimension.name, dimension.values[at]);
    show();
  })));
  show();
}
