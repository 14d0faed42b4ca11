// Asking the server.

/** Why something was not answered: a sentence for people, a kind, and words that were perhaps meant. */
export class Refused extends Error {
  constructor({ message, kind, word = null, suggestions = [] }) {
    super(message);
    Object.assign(this, { kind, word, suggestions });
  }
}

async function sent(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused({
      kind: "gone",
      message: "The server does not answer. It may have been stopped: start it again with `entvec explore`, then reload this page.",
    });
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new Refused(answer.error ?? { kind: "failed", message: `The server said ${response.status} and nothing else. Reload the page.` });
}

export function get(path, signal) {
  return sent(path, { signal });
}

/** Ask with JSON, answer with JSON. */
export function ask(path, body, signal) {
  return sent(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
}

let health;

/** What the space is, asked once. */
export function space() {
  health ??= get("/api/health").catch((error) => {
    health = undefined;
    throw error;
  });
  return health;
}
