// What the voice says in its benchmark.

/** The first one has ten words. */
export const SENTENCES = [
  "The weather will stay warm and sunny for several days.",
  "Thanks for waiting, I have found the answer to your question.",
  "My sister bought seven purple umbrellas before the summer storm.",
  "The museum opens at nine and the last visitors leave at six.",
];

/** Of up to five words. */
export const CLAUSES = ["Bob may buy my map.", "Certainly, I can do that."];
