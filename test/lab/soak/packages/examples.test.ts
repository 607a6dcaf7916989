// All examples are as `examples/README.md` promises, and two run as their readers run them; all run in the soak.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { readPacked } from "../../../../lab/packages/packed-package.ts";
import { ROOT, readSourcePackages } from "../../../../lab/packages/source-package.ts";
import { checkEmbedTokenServer } from "../../../../lab/soak/packages/embed-token-server-check.ts";
import { EXAMPLE_CHECKS } from "../../../../lab/soak/packages/example-checks.ts";
import { runExample } from "../../../../lab/soak/packages/run-example.ts";
import { checkWebhookReceiver } from "../../../../lab/soak/packages/webhook-receiver-check.ts";
import { withStack } from "../../../helpers/service/with-stack.ts";

const MAX_LINES = 60;
const FOLDER = join(ROOT, "examples");
const examples = (await readdir(FOLDER, { withFileTypes: true })).filter((entry) => entry.isDirectory());

t.test("every example is in the list of examples, and has a check", async (t) => {
  const list = await readFile(join(FOLDER, "README.md"), "utf8");
  for (const { name } of examples) t.match(list, `](${name})`);
  t.same(EXAMPLE_CHECKS.map(({ example }) => example).sort(), examples.map(({ name }) => name).sort());
});

t.test("examples are short, and their README too", async (t) => {
  for (const { name } of examples) {
    for (const file of await sourcesOf(name)) {
      const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim() !== "").length;
      t.ok(lines < (file.endsWith("README.md") ? 8 : MAX_LINES), `${file} has ${lines} lines`);
    }
  }
});

t.test("examples install the archives of this version", async (t) => {
  const packed = await Promise.all((await readSourcePackages()).map(({ folder }) => readPacked(folder)));
  const archives = packed.map((one) => `file:../../${one?.archive.slice(ROOT.length)}`);
  for (const { name } of examples) {
    const text = await readFile(join(FOLDER, name, "package.json"), "utf8").catch(() => "{}");
    const ours = Object.entries<string>(JSON.parse(text).dependencies ?? {}).filter(([key]) =>
      key.startsWith("@open-avatar/"),
    );
    for (const [key, place] of ours) t.ok(archives.includes(place), `${name}: ${key} is ${place}`);
  }
});

t.test("two examples do what they show", async (t) => {
  const settings = { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" };
  await withStack(async (stack) => {
    for (const check of [checkEmbedTokenServer, checkWebhookReceiver])
      await t.resolves(
        runExample(check, stack, (line) => t.comment(line)),
        check.example,
      );
  }, settings);
});

async function sourcesOf(name: string): Promise<string[]> {
  const entries = await readdir(join(FOLDER, name), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => /\.(js|jsx|ts|tsx|py|html|md)$/.test(file) && !/node_modules|\.venv/.test(file));
}
