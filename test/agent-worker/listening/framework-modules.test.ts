// The modules of the agents framework that are loaded by their path: an upgrade may move them without notice.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import t from "tap";
import { FRAMEWORK, FRAMEWORK_MODULES } from "../../../agent-worker/listening/framework-modules.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDER = import.meta.resolve(FRAMEWORK);

for (const [name, path] of Object.entries(FRAMEWORK_MODULES)) {
  t.test(`${FRAMEWORK} holds ${name} in ${path}`, async (t) => {
    const exported = await import(new URL(path, FOLDER).href).catch((error: unknown) => {
      throw new Error(`${path} is no module of ${FRAMEWORK}: name its new path in framework-modules.ts`, {
        cause: error,
      });
    });
    // The class of the runner is the module's default export.
    const found = name === "EotRunner" ? exported.default : exported[name];
    t.equal(found?.name, name, `${path} exports ${name}`);
  });
}

t.test("the runner of the end-of-turn model has the methods that its process calls", async (t) => {
  const { default: Runner } = await import(new URL(FRAMEWORK_MODULES.EotRunner, FOLDER).href);
  t.type(Runner.prototype.initialize, "function");
  t.type(Runner.prototype.run, "function");
});

t.test("no other file names a path inside the framework", async (t) => {
  const files = execFileSync("git", ["ls-files", "*.ts"], { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
  const naming = files.filter((file) => {
    if (/framework-modules(\.test)?\.ts$/.test(file)) return false;
    const text = readFileSync(`${ROOT}/${file}`, "utf8");
    return (
      text.includes(`${FRAMEWORK}/`) ||
      ["VAD", "ThresholdOptions", "EotRunner", "setLoggerState"].some((name) =>
        text.includes(`"${FRAMEWORK_MODULES[name as keyof typeof FRAMEWORK_MODULES]}"`),
      )
    );
  });
  t.same(naming, []);
});
