// Progress output of the start command: one line per step, with its duration.

export interface Progress {
  /** Prints a note. */
  note(line: string): void;
  /** Runs a step, then prints its outcome (the returned text) and duration. */
  step<T>(name: string, work: () => Promise<T>, describe: (result: T) => string): Promise<T>;
}

const NAME_WIDTH = 11;

/** Progress lines on a stream, or nowhere when it is null. */
export function createProgress(stream: NodeJS.WritableStream | null): Progress {
  const write = (name: string, text: string) => stream?.write(`  ${name.padEnd(NAME_WIDTH)} ${text}\n`);
  return {
    note: (line) => write("", line),
    async step(name, work, describe) {
      const startedAt = performance.now();
      const result = await work();
      write(name, `${describe(result)} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
      return result;
    },
  };
}
