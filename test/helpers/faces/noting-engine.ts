// An engine that only records its input, for tests of the classes that feed it.
import type { Expression } from "../../../shared/expressions.ts";
import type { Engine } from "../../../src/face/engine/engine.ts";

/** `full.is` makes it refuse segments. */
export function notingEngine(): {
  engine: Engine;
  notes: string[];
  samples: Map<string, number[]>;
  full: { is: boolean };
} {
  const notes: string[] = [];
  const samples = new Map<string, number[]>();
  const full = { is: false };
  const engine = {
    sampleRateHz: 48_000,
    openSegment: (id: string, rateHz: number) => {
      if (full.is) throw new RangeError("at most 256 segments can wait");
      notes.push(`open ${id} ${rateHz}`);
      samples.set(id, []);
      return {
        segmentId: id,
        push: (pushed: Int16Array) => samples.get(id)?.push(...pushed),
        express: ({ emotion }: Expression, inMs = 0) => notes.push(`${emotion} ${id} ${inMs}`),
        end: () => notes.push(`end ${id}`),
      };
    },
  } as unknown as Engine;
  return { engine, notes, samples, full };
}
