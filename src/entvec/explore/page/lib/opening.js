// Going to a state by what it is, not by its address.
import { address, besideParam, goTo } from "/lib/address.js";
import { PICTURES, viewOf } from "/lib/kinds.js";
import { store } from "/lib/store.js";

const LONGEST = 1_500; // characters of an address; what is longer is kept by the browser

/** The address of a state; `extra` are further parameters. */
export async function addressOf(state, extra = {}) {
  const { write } = await viewOf(state.kind);
  const place = state.kind === "start" ? "" : state.kind;
  const there = address(place, { ...write(state), ...extra });
  return there.length > LONGEST ? address(place, { kept: store.keep(state), ...extra }) : there;
}

/** Show what was asked for: words and pairs beside a picture if there is one, all else in its place. */
export async function asked(state) {
  if (!PICTURES.includes(store.state.kind) || !["word", "pair"].includes(state.kind))
    return goTo(await addressOf(state));
  store.open(store.state, state);
  goTo(await addressOf(store.state, { beside: besideParam(state) }));
}
