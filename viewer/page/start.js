// Finds what the page is about, and adds what needs a script to the verdict and the charts, which stand there already.

// Each builds its part of the page, and returns the list that Data (CSV) has.
const BUILDERS = {
  "ddlsim-prediction": drawPrediction, "ddlsim-plan": drawPlan, "ddlsim-diagnosis": drawDiagnosis,
  "ddlsim-calibration": drawCalibration, "ddlsim-validation": drawValidation,
};

function complain(main, text) {
  main.prepend(element("p", {class: "bad", role: "alert"}, text));
}

function answerIn(shown) {
  return JSON.parse(shown.querySelector("script.answer").textContent);
}

function drawAnswer(shown) {
  const main = shown.querySelector("main");
  addReadouts(main);
  let list = null;
  try {
    const answer = answerIn(shown);
    list = BUILDERS[answer.format](answer, main);
  } catch (error) {
    complain(main, "The figures in this file cannot be read, because it was cut or changed; write the page again. The verdict and the charts are as they were written.");
  }
  addDownloads(shown, main, list);
}

// The choices that the address keeps: #gpus=96&batch=32.
function choices() {
  return new URLSearchParams(window.location.hash.slice(1));
}

function keepChoice(name, value) {
  const kept = choices();
  kept.set(name, value);
  try {
    window.history.replaceState(null, "", "#" + kept);
  } catch (error) { // some browsers refuse this for files
    window.location.hash = kept;
  }
}

function openPage() {
  const shown = document.getElementById("shown");
  if (document.getElementById("sweep")) openSweep(shown);
  else drawAnswer(shown);
}

openPage();
