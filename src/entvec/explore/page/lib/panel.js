// The panel beside a picture: a word or a pair. On small screens it covers the picture.
import { Stage } from "/lib/stage.js";

const SMALL = matchMedia("(max-width: 62rem)");

export class Panel {
  onclose = () => {};
  #from = null; // what had the focus before the panel came

  constructor(element, main) {
    this.element = element;
    this.main = main;
    this.stage = new Stage(element.querySelector(".panel-content"), true);
    element.querySelector(".panel-close").addEventListener("click", () => this.close());
    element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented) this.close();
    });
    SMALL.addEventListener("change", () => this.#cover());
  }

  /** Show the panel or hide it; whether it has just come. `alone` is the address of what is in it. */
  hold(open, alone = "/") {
    const came = open && this.element.hidden;
    if (came) this.#from = document.activeElement;
    this.element.hidden = !open;
    this.element.querySelector(".panel-alone").href = alone;
    document.body.classList.toggle("with-panel", open);
    this.#cover();
    return came;
  }

  focus() {
    this.element.focus({ preventScroll: true });
  }

  close() {
    this.onclose();
    if (this.#from?.isConnected) this.#from.focus({ preventScroll: true });
  }

  /** What the panel covers can neither be reached nor read. */
  #cover() {
    this.main.inert = !this.element.hidden && SMALL.matches;
  }
}
