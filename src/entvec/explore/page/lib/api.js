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
      message:
        "The server does not answer. It may have been stopped: " +
        "start it again with `entvec explore`, then try again.",
    });
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new Refused(
    answer.error ?? {
      kind: "failed",
      message: `The server said ${response.status} and nothing else. Reload the page.`,
    },
  );
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

const answers = new Map();

/** What stays the same while the server runs: asked once, and again only after an error. */
export function once(path) {
  if (!answers.has(path)) {
    const answer = sent(path).catch((error) => {
      answers.delete(path);
      throw error;
    });
    answers.set(path, answer);
  }
  return answers.get(path);
}

/** What the space is. */
export function space() {
  return once("/api/health");
}
