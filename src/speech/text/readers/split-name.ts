// Parts of a name that is written in one piece: `LiveKit`, `getUserName`, `H2O`.

const PART = /\p{Lu}{2,}(?=\p{Lu}\p{Ll})|\p{Lu}{2,}s?(?!\p{Ll})|[\p{Lu}]?[\p{Ll}\p{M}\p{Lm}\p{Lo}']+|\p{Lu}|\d+/gu;

/** Words, runs of capitals and numbers, in order. Signs between them are left out. */
export function splitName(name: string): string[] {
  return name.match(PART) ?? [];
}
