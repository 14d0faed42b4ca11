// The evidence as a waterfall of log-odds: each source from where the sum was to where it is then.
import { h } from "/lib/dom.js";
import { known, percent, signed } from "/lib/numbers.js";
import { SOURCES, meaning } from "/lib/relation.js";

/** A table for `waterfall` of /api/pair. */
export function waterfall({ relation, parts, log_odds: total }, first, second) {
  const sums = [0];
  for (const { log_odds: step } of parts) sums.push(sums.at(-1) + step);
  const [least, most] = [Math.min(...sums), Math.max(...sums)];
  const place = (sum) => (100 * (sum - least)) / (most - least || 1);
  const bar = (from, to) =>
    h(
      "span",
      { className: "fall", "aria-hidden": "true" },
      h("span", { className: "zero", style: { left: `${place(0)}%` } }),
      h("span", {
        className: `step ${to < from ? "no" : "yes"}`,
        style: { left: `${place(Math.min(from, to))}%`, width: `${Math.abs(place(to) - place(from))}%` },
      }),
    );
  const row = ([name, what], cell, number, className = "") =>
    h(
      "tr",
      { className },
      h("th", { scope: "row" }, name, h("span", { className: "faint small under" }, what)),
      h("td", { className: "falls" }, cell),
      h("td", { className: "number" }, number),
    );
  const sum = `of the seven relations: ${percent(known(total))}`;
  return h(
    "table",
    { className: "waterfall" },
    h("caption", {}, `What says that ${meaning(relation, first, second)}`),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "source"),
        h("td", {}),
        h("th", { scope: "col", className: "number" }, "log-odds"),
      ),
    ),
    h(
      "tbody",
      {},
      parts.map(({ source, log_odds: step }, i) =>
        row(SOURCES[source] ?? [source, ""], bar(sums[i], sums[i + 1]), signed(step)),
      ),
      row(["together", sum], bar(0, total), signed(total), "answer"),
    ),
  );
}
