// What persons and avatars say in the conversation benchmarks.

export const QUESTIONS = [
  "What is the capital of France?",
  "How far away is the moon?",
  "Who wrote the play about Romeo and Juliet?",
  "Why is the sky blue in the daytime?",
  "Can you tell me how long a marathon is?",
] as const;

/** Said while the avatar speaks. */
export const CUTS = [
  "Wait, tell me about Italy instead.",
  "Stop, I have another question.",
  "No, that is not what I meant.",
] as const;

/** Four seconds each. */
const SHORT_ANSWERS = [
  "Paris is the capital of France, and it lies on the river Seine.",
  "The moon is about two hundred and forty thousand miles away.",
  "That play was written by William Shakespeare in London.",
  "Blue light is scattered more by the air than red light.",
  "A marathon is a little longer than twenty six miles.",
] as const;

/** The same answer to the same text. */
export function shortAnswer(said: string): string {
  const words = ["france", "moon", "romeo", "sky", "marathon"];
  const index = words.findIndex((word) => said.toLowerCase().includes(word));
  return SHORT_ANSWERS[Math.max(0, index)];
}

const THINGS = [
  "the old lighthouse above the bay",
  "a fisherman who mended his nets at night",
  "the wind that came over the northern hills",
  "seven grey geese on the frozen river",
  "the baker and her brown dog",
  "a letter that was never opened",
  "the long road down to the harbour",
  "children who sang in the empty market",
];

/** A story of `count` parts without a full stop, so that its voice never pauses for long. Each part lasts two to three
 *  seconds. */
export function longAnswer(count: number): string {
  const parts = Array.from({ length: count }, (_, index) => THINGS[index % THINGS.length]);
  return `This is a story of ${parts.join(" and of ")}.`;
}

/** Sentences, one after the other: each lasts about four seconds. */
export function longStory(count: number): string {
  const parts = Array.from({ length: count }, (_, index) => {
    const thing = THINGS[(index * 3) % THINGS.length];
    const other = THINGS[(index * 5 + 2) % THINGS.length];
    return `Chapter ${index + 1} was about ${thing} and about ${other}.`;
  });
  return parts.join(" ");
}
