// Walks through the patches: buttons, and the keys j and k. Without it the page is complete, too.
const patches = [...document.querySelectorAll("article")];
let at = Math.max(0, patches.findIndex((patch) => "#" + patch.id === location.hash));
function show(next) {
  if (!patches.length) return;
  patches[at].classList.remove("current");
  at = (next + patches.length) % patches.length;
  patches[at].classList.add("current");
  patches[at].scrollIntoView({ block: "start" });
  patches[at].focus({ preventScroll: true });
}
document.getElementById("next")?.addEventListener("click", () => show(at + 1));
document.getElementById("previous")?.addEventListener("click", () => show(at - 1));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "j") show(at + 1);
  if (event.key === "k") show(at - 1);
});
patches[at]?.classList.add("current");
