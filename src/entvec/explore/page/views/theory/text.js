// The text of the essay, section by section; figures stand between them.
import { address } from "/lib/address.js";
import { h } from "/lib/dom.js";

const PAPER = "https://aclanthology.org/P16-1193/";

const p = (...content) => h("p", {}, content);
const em = (text) => h("em", {}, text);
const formula = (text) => h("p", { className: "formula" }, text);
const link = (href, text) => h("a", { href }, text);

export function opening(title) {
  return [
    h("h1", {}, title),
    h(
      "p",
      { className: "essay-source" },
      "After James Henderson and Diana Nicoleta Popa, ",
      h("a", { href: PAPER, rel: "noreferrer" }, "A Vector Space for Distributional Semantics for Entailment"),
      ", ACL 2016. All that is played with here is in that paper, but for the last picture's map, which was learned since.",
    ),
    h(
      "p",
      { className: "essay-lead" },
      "A dog is an animal. An animal is not always a dog. Vectors of words are good at telling that the two are near each ",
      "other, and have no way to tell which way round. Here is how a vector can say it.",
    ),
  ];
}

export function sets() {
  return [
    h("h2", {}, "All that is known"),
    p(
      "Take a word as what one knows when one hears it. Of an ",
      em("animal"),
      ", one knows that it is alive. Of a ",
      em("dog"),
      ", one knows that too, and also that it barks. So whatever is known of an animal is known of a dog: ",
      h("strong", {}, "dog entails animal"),
      ", which is to say that a dog is a kind of animal. The other way round it fails, since barking is not known of animals.",
    ),
    p(
      "In the picture, the general word stands above and the specific one below. Every block above needs a block below to ",
      "stand on. An empty place says that something is not ",
      em("known"),
      "; it does not say that it is false. A word that says little has few blocks, and stands on almost anything: ",
      "that is what makes it general.",
    ),
  ];
}

export function sureness() {
  return [
    h("h2", {}, "How sure one is"),
    p(
      "Nothing that is learned from texts is certain. So each place holds how probably its feature is known, written as ",
      "log-odds: 0 is fifty-fifty, +4 is 98%, −4 is 2%. A vector of such numbers is what the paper puts in the place of a ",
      "word's vector.",
    ),
    p(
      "The entailment holds if no feature breaks it, and a feature breaks it if it is known above and not known below. ",
      "In the toy world features are independent of each other, so the probability that none breaks it is a product:",
    ),
    formula("P(y ⇒ x) = Π (1 − s(X) · s(−Y))"),
    p(
      "Here X and Y are log-odds of x and y, and s makes them probabilities: s(X) that a feature is known of x, s(−Y) that ",
      "it is not known of y.",
    ),
  ];
}

export function scores(list) {
  return [
    h("h2", {}, "Scores that search can use"),
    p(
      "To find what a word entails among a hundred thousand words, one needs a score that is fast: an inner product of two ",
      "vectors, one made of y alone and one of x alone. The logarithm of the product above is none. The paper gives two ",
      "that are, and both stay below it:",
    ),
    list,
    p(
      "Similarity is no such score. The cosine of dog and animal is the cosine of animal and dog: unfold the other operators ",
      "below the figure, and compare their last two rows.",
    ),
  ];
}

export function inference() {
  return [
    h("h2", {}, "What follows"),
    p(
      "Once it is said that y entails x, one learns about both. The thing below gets what is known of the one above, and the ",
      "one above loses what the one below lacks. With many words that entail each other, nobody can try all cases; ",
      "mean-field inference lets each feature of each word be a number of its own, and passes messages along the edges:",
    ),
    formula("Y ← Y prior − log s(−X),   X ← X prior + log s(Y)"),
    p(
      "It agrees with the exact answer where what is known fits the entailment, and parts from it where all is undecided: ",
      "numbers that each stand alone cannot say “both or none”. Set all sliders of figure 2 to 0 to see the worst of it.",
    ),
  ];
}

export function words() {
  return [
    h("h2", {}, "Your own two words"),
    p(
      "Real words come without a list of features. Their vectors were learned from which words stand beside them in news, ",
      "and a linear map, learned from pairs of which it is known whether they entail each other, turns each into log-odds ",
      "of features without names. Yet the picture is the same, and it is read in the same way. Two words are drawn twice, ",
      "once each way round.",
    ),
  ];
}

export function closing() {
  return [
    h("h2", {}, "And on this page"),
    p(
      "Vectors alone are often wrong: they know words, not senses, and only what newspapers say. So answers here add them to ",
      "what is known from dictionaries, to what similar words are, and to what sentences say, each as log-odds with its ",
      "reason. See it for ",
      link(address("word", { word: "violin" }), "a word"),
      ", for ",
      link(address("pair", { first: "tomato", second: "fruit" }), "a pair"),
      ", and for ",
      link(address("list"), "a list"),
      ".",
    ),
  ];
}
