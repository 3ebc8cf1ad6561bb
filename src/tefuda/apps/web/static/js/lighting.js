// Cards that are buttons light the cards that they take. On touch screens the first tap looks, the second one plays.

const MARKS = ["takes", "completes"];

// Light what a button takes and say its effect; no button switches the light off.
function light(place, button) {
  for (const face of place.querySelectorAll(".hana-field [data-card]")) {
    for (const mark of MARKS) {
      face.classList.toggle(mark, Boolean(button?.dataset[mark].split(" ").includes(face.dataset.card)));
    }
  }
  for (const say of place.querySelectorAll(".hana-say[data-usual]")) {
    say.textContent = button?.ariaLabel ?? say.dataset.usual;
  }
}

// Follow focus, mouse and touch in a place; act(data) takes the action of a button with these data.
export function follow(place, act) {
  let looked = null; // the button that was tapped
  const look = (event) => {
    const button = event.target.closest("[data-takes]");
    if (button && event.pointerType !== "touch") light(place, button);
  };
  const leave = (event) => {
    if (event.type === "focusout") looked = null;
    if (event.target.closest("[data-takes]")) light(place, null);
  };
  place.addEventListener("focusin", look);
  place.addEventListener("pointerover", look);
  place.addEventListener("focusout", leave);
  place.addEventListener("pointerout", leave);
  place.addEventListener("click", (event) => {
    const button = event.target.closest("[data-action], [data-send]");
    if (!button) return;
    const looks = event.pointerType === "touch" && "takes" in button.dataset && looked !== button;
    if (!looks) return act(button.dataset);
    looked = button;
    light(place, button);
  });
}
