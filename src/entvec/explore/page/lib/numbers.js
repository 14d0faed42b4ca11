// Numbers: how they are shown, and how they are read from an address.

/** A probability in per cent that never claims certainty. */
export function percent(probability) {
  if (probability === null || probability === undefined) return "–";
  if (probability > 0.99) return ">99%";
  if (probability < 0.01) return "<1%";
  return `${Math.round(probability * 100)}%`;
}

/** A number with its sign, and a minus that is one. */
export function signed(number, digits = 2) {
  const text = Math.abs(number).toFixed(digits);
  return `${Number(text) === 0 ? "" : number < 0 ? "−" : "+"}${text}`;
}

/** "1 word", "2 words". */
export function counted(n, one, several = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : several}`;
}

/** The probability that a feature with these log-odds is known. */
export function known(logOdds) {
  return 1 / (1 + Math.exp(-logOdds));
}

/** The specificity that an address asks for; null if it asks for none that there is. */
export function specificityOf(params) {
  const value = Number(params.get("specificity") ?? NaN);
  return value >= 0 && value <= 10 ? value : null;
}
