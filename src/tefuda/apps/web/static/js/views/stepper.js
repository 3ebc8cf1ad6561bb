// A hand that is shown step by step: its place in the address, keys, play and pause, the dock.
// Pages derive from it: they have draw() and said(), the sentence of the present step.
import { announce, h } from "../dom.js";
import { icon } from "../icons.js";
import { setAddress } from "../main.js";
import { t } from "../words.js";
import { isMistake } from "./review_graph.js";

const STEP = 1000; // milliseconds of a move that is played

export class Stepper {
  constructor(root, steps, address) {
    Object.assign(this, { root, steps, address, timer: null });
    const asked = Number(address.searchParams.get("at") ?? Math.max(steps.findIndex(isMistake), 0) + 1) - 1;
    this.at = Math.min(Math.max(Number.isInteger(asked) ? asked : 0, 0), steps.length - 1);
  }

  addressOf(values = {}) {
    const given = { ...Object.fromEntries(this.address.searchParams), at: this.at + 1, ...values };
    return `${this.address.pathname}?${new URLSearchParams(given)}`;
  }

  // Show a move by its place; keep the address in step.
  choose(place) {
    if (!this.steps[place] || place === this.at) return;
    const name = document.activeElement?.dataset?.role;
    this.at = place;
    setAddress(this.addressOf());
    this.draw();
    this.root.querySelector(`[data-role="${name}"]`)?.focus({ preventScroll: true });
    announce(this.said());
  }

  // Go to the next mistake in a direction, 1 or -1.
  mistake(direction) {
    let place = this.at + direction;
    while (this.steps[place] && !isMistake(this.steps[place])) place += direction;
    this.choose(place);
  }

  // Play a move each second, or pause.
  play() {
    if (this.timer) return this.stop();
    if (this.at === this.steps.length - 1) this.choose(0);
    this.timer = setInterval(() => {
      this.choose(this.at + 1);
      if (this.at === this.steps.length - 1) this.stop();
    }, STEP);
    this.draw();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.draw();
  }

  keys() {
    return {
      j: [t("key.next mistake"), () => this.mistake(1)], k: [t("key.last mistake"), () => this.mistake(-1)],
      ArrowRight: [t("key.next move"), () => this.choose(this.at + 1)],
      ArrowLeft: [t("key.last move"), () => this.choose(this.at - 1)],
      " ": [t("key.play"), () => this.play()],
    };
  }

  // The bar at the bottom: a link at the left, the steps, the next mistake and more at the right.
  dock(left, ...right) {
    const button = (name, act, attributes = {}) => h("button", { "aria-label": t(`review.${name}`), title: t(`review.${name}`),
      "data-role": name, onclick: act, ...attributes }, icon(name));
    const next = this.steps.some(isMistake) && h("button", { onclick: () => this.mistake(1) }, t("review.next mistake"), " ",
      h("kbd", { "aria-hidden": "true" }, "j"));
    return h("div", { class: "dock review-dock" }, left || h("span", {}),
      h("div", { class: "steps" }, button("first", () => this.choose(0)), button("back", () => this.choose(this.at - 1)),
        button(this.timer ? "pause" : "play", () => this.play(), { class: "main", "data-role": "play" }),
        button("next", () => this.choose(this.at + 1)), button("last", () => this.choose(this.steps.length - 1))),
      h("div", { class: "acts wide" }, next, right));
  }
}
