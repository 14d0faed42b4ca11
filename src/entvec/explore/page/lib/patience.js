// What takes the server long, asked as someone does who knows that others ask too.
import { ask } from "/lib/api.js";

const QUIET = 120; // milliseconds: whoever leaves before that never asks
const AGAIN = 1000;
const TIMES = 10;

/** Ask for what takes long: not while someone only passes by, and again while the server has no place. */
export async function askPatiently(path, body, signal, before = QUIET) {
  await quiet(before, signal);
  for (let time = 1; ; time += 1) {
    try {
      return await ask(path, body, signal);
    } catch (error) {
      if (time === TIMES || (error.kind !== "busy" && error.kind !== "too_many")) throw error;
      await quiet(AGAIN, signal);
    }
  }
}

function quiet(wait, signal) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(resolve, wait);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}
