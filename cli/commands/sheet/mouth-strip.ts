// Mouth opening over time as text, for the terminal.
import { FACE_PARAMETER_INDEX } from "../../../shared/face-parameters.ts";
import { FRAME_RATE_FPS } from "../../../shared/units.ts";
import type { MouthShapes } from "../hear/shape-mouth.ts";

const LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const SHUT = "─";
/** Jaw opening that gives the highest bar: a loud AA at full expressiveness. */
const WIDEST_JAW = 0.8;
const CELL = 3;

/** Two lines for each second: mouth opening (`─` closed), and the viseme of each frame (`·` silence). */
export function mouthStrip({ visemes, closed, parameters }: MouthShapes): string {
  const lines: string[] = [];
  for (let from = 0; from < visemes.length; from += FRAME_RATE_FPS) {
    const frames = visemes.slice(from, from + FRAME_RATE_FPS).map((_, k) => from + k);
    const opening = frames.map((k) =>
      (closed[k] > 0.5 ? SHUT : bar(parameters[k][FACE_PARAMETER_INDEX.jaw])).repeat(2),
    );
    const names = frames.map((k) => (visemes[k] === "sil" ? "·" : visemes[k]));
    const label = `${from / FRAME_RATE_FPS} s`.padStart(6);
    lines.push(`${label}  ${cells(opening)}`, `${" ".repeat(label.length)}  ${cells(names)}`);
  }
  return lines.join("\n");
}

function bar(jaw: number): string {
  const level = Math.floor((Math.max(0, jaw) / WIDEST_JAW) * LEVELS.length);
  return LEVELS[Math.min(LEVELS.length - 1, level)];
}

function cells(texts: readonly string[]): string {
  return texts
    .map((text) => text.padEnd(CELL))
    .join("")
    .trimEnd();
}
