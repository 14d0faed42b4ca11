// The review of a hierarchy: what was decided, what that changes, and the files of it.
import { fresh, h, say } from "/lib/dom.js";
import { counted } from "/lib/numbers.js";
import { saveText } from "/lib/saving.js";
import { arrows } from "/lib/words.js";

const FEW = 12; // changes that are listed before one asks for all

/**
 * A card. `open(text)` is called with the text of a review that was saved before, and returns what to tell;
 * `asList()` takes the hierarchy over as a list.
 */
export function reviewCard({ open, asList }) {
  const heading = fresh("review");
  const [counts, changes, told] = [h("p"), h("div"), h("p", { className: "small" })];
  let found = null; // what the server made of the review
  const file = h("input", {
    type: "file",
    className: "unseen",
    ariaLabel: "Open a review",
    tabIndex: -1,
    accept: ".csv,text/csv",
    onchange: opened,
  });
  const button = (text, action, className = "") => h("button", { type: "button", className, onclick: action }, text);
  const element = h(
    "section",
    { className: "card tax-review", "aria-labelledby": heading },
    h("h2", { id: heading }, "The review"),
    counts,
    changes,
    h(
      "p",
      { className: "chips" },
      button("Save the corrected hierarchy", () => save(found.text, found.file_name, found.media_type), "main"),
      button("Review as CSV", () => save(found.table, "review.csv", "text/csv")),
      button("Review as SSSOM", () => save(found.mappings, "review.sssom.tsv", "text/tab-separated-values")),
      button("Open a review…", () => file.click()),
      button("Go on as a list", () => asList(found)),
      file,
    ),
    told,
  );

  function tell(text) {
    told.textContent = text;
    say(text);
  }

  function save(text, name, type) {
    saveText(text, name, type);
    tell(`Saved as ${name}.`);
  }

  async function opened() {
    const [given] = file.files;
    file.value = "";
    if (given) tell(await open(await given.text()));
  }

  /** `findings` with their decisions, and the answer of /api/taxonomy/review. */
  function update(findings, decisions, answer) {
    found = answer;
    const n = (which) => findings.filter(({ id }) => decisions[id] === which).length;
    const [accepted, rejected] = [n("accept"), n("reject")];
    counts.textContent = findings.length
      ? `${accepted} accepted, ${rejected} rejected, ${findings.length - accepted - rejected} open.`
      : "There is nothing to decide.";
    const list = answer.changes.map(change);
    changes.replaceChildren(
      ...(list.length
        ? [
            h("h3", {}, `What changes (${counted(list.length, "line")})`),
            h("ul", { className: "tax-changes" }, list.slice(0, FEW)),
            ...(list.length > FEW
              ? [h("details", {}, h("summary", {}, `${list.length - FEW} more`), h("ul", { className: "tax-changes" }, list.slice(FEW)))]
              : []),
          ]
        : []),
    );
  }

  return { element, update };
}

function change(line) {
  const came = line.startsWith("+");
  return h("li", { className: came ? "came" : "went" }, h("b", {}, came ? "+ " : "− "), arrows(line.slice(2)));
}
