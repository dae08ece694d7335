"use strict";
// Reads certified values that were computed beforehand; nothing is calculated here.
const readers = new Map();
for (const reader of document.querySelectorAll(".reader")) {
  const id = reader.dataset.for;
  const values = JSON.parse(document.getElementById(id + "-data").textContent);
  const slider = reader.querySelector("input");
  const cursor = document.querySelector(`.chart[data-for="${id}"] .cursor`);
  const cell = (name) => reader.querySelector(`[data-value="${name}"]`);
  const show = () => {
    const [eps, exact, claimed, tight, verdict, x, y, yClaimed] = values[slider.value];
    cell("eps").textContent = eps;
    cell("exact").textContent = exact;
    cell("claimed").textContent = claimed;
    cell("tight").textContent = tight;
    cell("verdict").textContent = verdict;
    cell("verdict").className = verdict;
    slider.setAttribute("aria-valuetext", `epsilon ${eps}: error ${exact}, claimed ${claimed}, the claim is ${verdict}`);
    cursor.setAttribute("visibility", "visible");
    const line = cursor.querySelector("line");
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    const circle = cursor.querySelector(".exact");
    circle.setAttribute("cx", x);
    circle.setAttribute("cy", y);
    const square = cursor.querySelector(".claimed");
    square.setAttribute("x", x);
    square.setAttribute("y", yClaimed);
    square.setAttribute("visibility", claimed === "—" ? "hidden" : "inherit");
  };
  slider.addEventListener("input", show);
  reader.hidden = false;
  show();
  readers.set(id, {
    eps: () => values[slider.value][0],
    move: (eps) => {
      const place = values.findIndex((row) => row[0] === eps);
      if (place >= 0) slider.value = place;
      show();
    },
  });
}
// One input at a time, chosen from a list; without this script all of them can be opened.
for (const chooser of document.querySelectorAll(".chooser")) {
  const select = chooser.querySelector("select");
  const panels = [...document.querySelectorAll(`.panel[data-claim="${select.dataset.for}"]`)];
  let shown = panels[0];
  const show = () => {
    const eps = readers.get(shown.id).eps();
    const chosen = select.selectedOptions[0];
    shown = document.getElementById(chosen.value);
    shown.querySelector(".at").textContent = chosen.dataset.input;
    for (const one of panels) one.hidden = one !== shown;
    for (const one of panels) one.open = one === shown;
    readers.get(shown.id).move(eps);
  };
  chooser.hidden = false;
  for (const one of panels) one.hidden = one !== shown;
  for (const one of panels) one.classList.add("chosen");
  select.addEventListener("change", show);
}
// A printed page shows everything but the inputs that were not chosen.
const closed = [];
addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details:not([open], .panel)")) {
    one.open = true;
    closed.push(one);
  }
});
addEventListener("afterprint", () => {
  for (const one of closed.splice(0)) one.open = false;
});
