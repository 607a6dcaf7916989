// The conversation of `npm run demo:conversation`: what the person says, and what a model of a script answers.

/** The agent's document. */
export const DOCUMENT = Object.freeze({
  name: "guarantee.txt",
  text: [
    "Guarantee. Every teapot of our workshop has a guarantee of seven years. It covers the handle, the spout and the",
    "glaze. If a handle breaks in this time, we send a new teapot within nine days, and the old one need not come back.",
    "",
    "Shipping. We ship teapots to Canada every Tuesday, in boxes filled with straw.",
    "",
    "Care. Wash teapots by hand with warm water. Do not put the gold rim into a microwave oven.",
  ].join("\n"),
});

export const SYSTEM_PROMPT =
  "You work at a small pottery that makes teapots. Answer in two or three short sentences. Never make up facts.";

export interface DemoTurn {
  /** What the turn shows, for the transcript. */
  shows: string;
  text: string;
  how: "spoken" | "typed" | "cut-in";
}

/** A cut-in is said while the answer to the turn before it is heard. */
export const TURNS: readonly DemoTurn[] = [
  { shows: "a question", how: "spoken", text: "Hello! What can you help me with?" },
  { shows: "a question about the document", how: "spoken", text: "How long is the guarantee on a teapot?" },
  { shows: "another one, typed", how: "typed", text: "May the gold rim go into a microwave oven?" },
  { shows: "a long answer", how: "spoken", text: "Please tell me the whole story of tea." },
  { shows: "cutting in", how: "cut-in", text: "Sorry, but who drank it first?" },
  { shows: "the next answer", how: "spoken", text: "And how should I make a good cup of tea?" },
  { shows: "cutting in again", how: "cut-in", text: "Wait, how long should it stand?" },
  { shows: "the document again", how: "spoken", text: "Do you ship your teapots to Canada?" },
  { shows: "a long answer", how: "spoken", text: "How do you make a teapot in your workshop?" },
  { shows: "a question without an answer", how: "typed", text: "What is the population of Iceland?" },
  { shows: "the end", how: "spoken", text: "Thank you very much, goodbye." },
];

const ANSWERS: readonly (readonly [word: string, answer: string])[] = [
  [
    "story",
    "Tea comes from the hills between China and India, where people chewed its leaves long before they cooked them. " +
      "Monks carried it to Japan, traders carried it over the desert on camels, and ships carried it to Europe, where it " +
      "was so dear that it was kept in locked boxes. Later it was grown in Ceylon and in Kenya, and today it is drunk " +
      "in every country of the world, more than anything else but water.",
  ],
  ["first", "An old tale says it was an emperor of China. A leaf fell into his hot water, and he liked the taste."],
  [
    "good cup",
    "Warm the pot first, and take one spoon of leaves for each cup. Use fresh water, and pour it on while it boils for " +
      "black tea, or a little cooler for green tea. Then cover the pot, so that it stays hot, and put the leaves aside.",
  ],
  [
    "workshop",
    "We turn the body on a wheel and let it dry for a day. Spout, handle and lid are made by themselves and set on by " +
      "hand. Then it is fired, glazed, and fired once more, and at the end the rim is painted with gold.",
  ],
  ["stand", "Three minutes are right for most black teas. Green tea needs only two."],
  ["goodbye", "You are welcome. Enjoy your tea, and goodbye!"],
  ["help", "I know the teapots of our pottery, and a little about tea. Ask me anything, and cut in whenever you like."],
];

/** Words of questions with an answer in the document, and that answer. */
const FACTS: readonly (readonly [word: string, fact: RegExp])[] = [
  ["guarantee", /[^.\n]*guarantee of [^.]*\./i],
  ["microwave", /[^.\n]*microwave[^.]*\./i],
  ["ship", /[^.\n]*to Canada[^.]*\./i],
];

/** The model of the script: answers with a sentence of the passages that it was given, or by a word of the question. It
 *  knows nothing else and says so. */
export function scriptedAnswer(said: string, request: string): string {
  const question = said.toLowerCase();
  const passages = request.slice(request.lastIndexOf("<passage"));
  const fact = FACTS.find(([word]) => question.includes(word))?.[1].exec(passages)?.[0];
  if (fact !== undefined) return `${fact.replaceAll(/\s+/g, " ").trim()} That is what our papers say.`;
  const known = ANSWERS.find(([word]) => question.includes(word));
  return known ? known[1] : "I am a small script and no language model, so I have no answer to that.";
}
