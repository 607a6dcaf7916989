// What commands print with --json is a contract: each has a shape, and a test that compares its output with it.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import t from "tap";
import { SHAPES } from "../../../cli/commands/shapes.ts";
import { withAvatarCommand } from "../../helpers/service/with-avatar-command.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Commands that need a service, a face or much time: where they are run with --json. `withAvatarCommand`,
 *  `checkShape` and `readCommand` compare with the shapes. */
const DRIVEN_IN: Readonly<Record<string, readonly string[]>> = {
  "test/cli/avatar.test.ts": ["bake", "render", "inspect", "hear", "gallery-sheet", "gesture-sheet", "sheet"],
  "test/cli/commands/engine/engine.test.ts": ["engine list", "engine install"],
  "test/cli/commands/models/pull.test.ts": ["pull", "list"],
  "test/cli/commands/mcp/mcp.test.ts": ["mcp tools"],
  "test/e2e/local-page.test.ts": ["run"],
  "test/cli/commands/voices/voices.test.ts": ["voices pull", "voices remove", "voices say"],
  "test/cli/commands/doctor/report-llm.test.ts": ["doctor"],
  "test/cli/commands/backup/backup.test.ts": ["backup", "restore"],
  "test/cli/commands/room/describe-room.test.ts": ["room"],
  "test/cli/commands/worker/worker.test.ts": ["worker"],
  "test/integration/start.test.ts": ["start"],
  "test/integration/without-a-model.test.ts": ["talk"],
  "test/cli/commands/account/account.test.ts": ["login"],
  "test/cli/commands/agents/agents.test.ts": [
    "agents list",
    "agents show",
    "agents create",
    "agents prompt",
    "agents delete",
    "token",
    "sessions list",
    "sessions show",
    "sessions end",
    "speak",
  ],
  "test/cli/commands/accounts/accounts.test.ts": Object.keys(SHAPES).filter((name) => name.startsWith("accounts ")),
};

t.test("every command with --json has a shape, and a test runs it", async (t) => {
  await withAvatarCommand(t.testdir(), async (command) => {
    const driven = new Set(Object.values(DRIVEN_IN).flat());
    const folder = { AVATAR_DATA_DIR: t.testdirName, AVATAR_CONFIG_FILE: `${t.testdirName}/none.json` };
    const signedOut = { AVATAR_API_URL: "http://127.0.0.1:9", AVATAR_API_SECRET: "", AVATAR_API_KEY: "" };
    for (const line of ["__schema", "version", "completion bash", "voices list", "account", "logout"]) {
      const { code, stdout, stderr } = await command([...line.split(" "), "--json"], { ...folder, ...signedOut });
      t.equal(code, 0, `${line}: ${stderr}`);
      t.match(JSON.parse(stdout), { schema_version: 1 });
      driven.add(Object.hasOwn(SHAPES, line) ? line : line.split(" ")[0]);
    }
    const { commands, errors } = JSON.parse((await command(["__schema"])).stdout);
    t.match(errors, {
      type: "object",
      properties: { error: { properties: { kind: { enum: ["generic", "usage"] } } } },
    });
    for (const { name, options, output } of commands) {
      const isJson = options.some(({ names }: { names: string[] }) => names.includes("--json"));
      t.equal(Object.hasOwn(SHAPES, name), isJson, `${name} has a shape exactly if it has --json`);
      if (!isJson) continue;
      t.ok(driven.has(name), `a test runs ${name}: name it in this file`);
      for (const object of output.anyOf ?? [output]) {
        t.match(object, { type: "object", properties: { schema_version: { const: 1 } }, required: ["schema_version"] });
      }
    }
  });
});

t.test("the tests that are named run these commands", async (t) => {
  for (const [path, names] of Object.entries(DRIVEN_IN)) {
    const text = await readFile(`${ROOT}/${path}`, "utf8");
    t.match(text, /withAvatarCommand|checkShape|readCommand/, path);
    for (const name of names) t.match(text, new RegExp(`["' ]${name.split(" ").at(-1)}["' ]`), `${path}: ${name}`);
  }
});
