// Compares what a command has printed with the shape that `avatar __schema` states.
import { isDeepStrictEqual } from "node:util";
import { SHAPES } from "../../../cli/commands/shapes.ts";
import { errorShape } from "../../../cli/terminal/error-shape.ts";

const OTHER_NAMES: Readonly<Record<string, string>> = { open: "inspect", info: "inspect", whoami: "account" };

/** Does nothing for commands without --json. Throws Error if an object that the command has printed is of another
 *  shape, or if what a failed command ends with is another object than an error. */
export function checkShape(
  words: readonly string[],
  { code, stdout, stderr }: { code: number | null; stdout: string; stderr: string },
): void {
  if (!(words.includes("--json") || words[0] === "__schema") || words.includes("--")) return;
  const name = commandOf(words);
  for (const line of stdout.trimEnd().split("\n").filter(Boolean)) checkLine(name, line);
  const last = stderr.trimEnd().split("\n").at(-1) ?? "";
  if (code !== 0 && last.startsWith("{")) errorShape.parse(JSON.parse(last));
}

function checkLine(name: string, line: string): void {
  const shape = SHAPES[name];
  if (!shape) throw new Error(`avatar ${name} --json has no shape: add it to cli/commands/shapes.ts`);
  const { schema_version, ...object } = JSON.parse(line);
  if (schema_version !== 1) throw new Error(`avatar ${name} --json: schema_version is ${schema_version}`);
  const { data, error } = shape.safeParse(object);
  if (error) throw new Error(`avatar ${name} --json is not as cli/commands/shapes.ts says: ${error.message}`);
  if (!isDeepStrictEqual(data, object))
    throw new Error(`avatar ${name} --json has fields that its shape does not name`);
}

/** The name of the command, after that of its group if it has one. */
function commandOf(words: readonly string[]): string {
  const [first = "", second] = words.filter((word) => !word.startsWith("-"));
  const name = OTHER_NAMES[first] ?? first;
  return Object.hasOwn(SHAPES, `${name} ${second}`) ? `${name} ${second}` : name;
}
