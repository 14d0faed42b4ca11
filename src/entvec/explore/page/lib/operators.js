// The operators, as the paper writes them: s is the sigmoid, Y and X the log-odds of "does y entail x?".
export const PAPER = ["forward", "backward", "factorised"];

export const FORMULAS = {
  forward: "s(X) · log s(Y)",
  backward: "s(−Y) · log s(−X)",
  factorised: "Σ log(1 − s(−Y) s(X))",
  dot: "Y · X",
  cosine: "cos(Y, X)",
  difference: "Σ (Y − X)",
  weighted_cosine: "cos(zY, zX)",
};

/** What operators are called, if not by their own name. */
export const NAMES = { dot: "dot product", weighted_cosine: "weighted cosine" };
