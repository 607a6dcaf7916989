// The programs of the package, for tests that start them. A test run builds them once, with the pages; a file that runs
// alone builds them itself.
import {
  buildPrograms,
  builtProgram,
  builtPrograms,
  type Program,
  type Programs,
} from "../../../cli/start/build/build-programs.ts";

/** Environment variable that the test run sets. */
export const PROGRAMS_ARE_BUILT = "TEST_PROGRAMS_ARE_BUILT";

let building: Promise<unknown> | null = null;

/** Whether a test run has built programs and pages. */
export function areProgramsBuilt(): boolean {
  return process.env[PROGRAMS_ARE_BUILT] !== undefined;
}

/** What `npm start` runs. */
export async function testPrograms(): Promise<Programs> {
  await ensureBuilt();
  return builtPrograms();
}

export async function testProgram(name: string): Promise<Program> {
  await ensureBuilt();
  return builtProgram(name);
}

async function ensureBuilt(): Promise<void> {
  if (areProgramsBuilt()) return;
  building ??= buildPrograms();
  await building;
}
