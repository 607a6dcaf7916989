// What a person sees while a model file is fetched.
import { openStatusLine } from "../../terminal/status-line.ts";
import { writeNote } from "../../terminal/write-note.ts";
import type { PullOptions } from "./pull-model.ts";

export interface PullStatus extends Required<Pick<PullOptions, "onBytes" | "onNote">> {
  /** Removes the line. */
  end(): void;
}

const MB = 1e6;

/** A line in a terminal; notes also elsewhere, unless `isQuiet`. */
export function showPull(name: string, isQuiet: boolean): PullStatus {
  const status = openStatusLine(isQuiet);
  status.show(`fetching ${name}`);
  return {
    onBytes: (count, total) => {
      const all = total === undefined ? "" : ` of ${(total / MB).toFixed(1)}`;
      status.show(`fetching ${name}: ${(count / MB).toFixed(1)}${all} MB`);
    },
    onNote: (line) => {
      if (isQuiet) return;
      status.clear();
      writeNote(line);
    },
    end: () => status.clear(),
  };
}
