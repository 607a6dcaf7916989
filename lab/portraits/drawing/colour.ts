// Colours of the drawn portraits, as "#rrggbb".

/** The colour at share `t` (0..1) between two colours. */
export function mix(from: string, to: string, t: number): string {
  const [a, b] = [channels(from), channels(to)];
  return `#${a.map((value, index) => hex(value + ((b[index] as number) - value) * t)).join("")}`;
}

/** Red, green and blue, 0..255. Throws RangeError for anything but "#rrggbb". */
export function channels(colour: string): [number, number, number] {
  if (!/^#[0-9a-f]{6}$/i.test(colour)) throw new RangeError(`not a colour: ${colour}`);
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Tones of one skin, from its base colour. */
export interface SkinTones {
  base: string;
  /** Soft shade at the side of the face. */
  shade: string;
  /** Deep shade: under the chin, nostrils, lid crease. */
  deep: string;
  light: string;
  blush: string;
}

/** Warm shades and lights of a skin. Dark skins get stronger lights and weaker shades, as real ones show. */
export function skinTones(base: string): SkinTones {
  const [red, green, blue] = channels(base);
  const luma = (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
  return {
    base,
    shade: mix(base, luma > 0.5 ? "#9c4a33" : "#2a0f0a", luma > 0.5 ? 0.34 : 0.42),
    deep: mix(base, "#2b0d08", luma > 0.5 ? 0.58 : 0.68),
    light: mix(base, "#fff1dc", luma > 0.5 ? 0.55 : 0.34),
    blush: mix(base, luma > 0.5 ? "#e2553f" : "#a32f22", 0.5),
  };
}

function hex(value: number): string {
  return Math.round(Math.min(255, Math.max(0, value)))
    .toString(16)
    .padStart(2, "0");
}
