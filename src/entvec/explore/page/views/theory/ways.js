// The reader's two words as a command, as Python and as a request of the API.
import { command, curlOf, python, pythonOf } from "/lib/copying.js";

export function ways({ first = "violin", second = "instrument" }) {
  return {
    command: command("entvec", "explain", first, second),
    python: pythonOf(`print(space.explain(${python(first)}, ${python(second)}))`),
    curl: curlOf("/api/explain", { hypo: first, hyper: second }),
  };
}
