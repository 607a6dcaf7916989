// German ordinals.

/** An ordinal as it stands behind the word `before`: `am dritten`, `der dritte`. */
export function declined(ordinal: string, before: string): string {
  return /^(?:am|vom|zum|dem|den|des|beim|im|ab|bis|seit|zur)$/.test(before) ? `${ordinal}n` : ordinal;
}
