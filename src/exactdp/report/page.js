"use strict";
// Reads certified values that were computed beforehand; nothing is calculated here.
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
}
// A printed page shows everything.
const closed = [];
addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details:not([open])")) {
    one.open = true;
    closed.push(one);
  }
});
addEventListener("afterprint", () => {
  for (const one of closed.splice(0)) one.open = false;
});
