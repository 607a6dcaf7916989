// Holds the direction of imports between folders, and that only entry points read the environment.
import t from "tap";
import { FLOORS, folderOf, INDEPENDENT_PARTS, TOP_FOLDERS } from "./floors.ts";
import { readSources } from "./read-sources.ts";

const sources = await readSources(Object.keys(TOP_FOLDERS));
/** Entry points, and files with a reason of their own. Everything else is given its settings as arguments. */
const ENVIRONMENT_READERS = [
  "agent-worker/main.ts",
  "agent-worker/self-hosted/main.ts",
  "agent-worker/session/main.ts",
  "lab/bench/chaos/main.ts",
  "lab/bench/main.ts",
  "cli/avatar.ts",
  "lab/build-wasm.ts",
  "lab/independent/say-split.ts",
  "lab/soak/soak.ts",
  "cli/demo.ts",
  "cli/demo-conversation.ts",
  "lab/media-sheet.ts",
  "lab/packages.ts",
  "lab/page-sheet.ts",
  "cli/start.ts",
  // Of the entry points of the service.
  "program/run-program.ts",
  // Says where this user's cache is, in every process.
  "program/parts/find-part.ts",
  // Sets NODE_ENV before @livekit/rtc-node is loaded, which reads it only then.
  "cli/terminal/quiet-rtc.ts",
  // Finds the browser for tests and benchmarks, which is no setting of the service.
  "lab/bench/with-chromium.ts",
  // Write samples that read it.
  "web/shared/code/sample-typescript.ts",
  "web/realtime/call-code.ts",
  // Of the programs that import the package.
  "sdk/livekit-agents/read-environment.ts",
];
/** A file beside the floors, such as `api/create-api.ts`, puts them together. */
const floorOf = (path: string): number => {
  const [top, folder, ...rest] = path.split("/");
  return rest.length > 0 ? FLOORS[top].findIndex((floor) => floor.includes(folder)) : Number.POSITIVE_INFINITY;
};

t.test("the scan finds imports", async (t) => {
  t.ok(sources.length > 20, "there are source files");
  t.ok(sources.some((source) => source.folder === "api" && source.imports.some((path) => path.startsWith("shared/"))));
});

t.test("top folders import one way: programs to src to program to shared; only cli and lab see all", async (t) => {
  for (const source of sources) {
    for (const target of source.imports) {
      const folder = target.split("/")[0];
      if (folder === source.folder || target === "package.json") continue;
      t.ok(TOP_FOLDERS[source.folder].includes(folder), `${source.path} may not import ${target}`);
    }
  }
});

t.test("the engine has errors of its own: src does not import the codes of the contract", async (t) => {
  for (const { path, imports } of sources.filter(({ folder }) => folder === "src")) {
    t.notOk(imports.includes("shared/errors.ts"), `${path} may not import shared/errors.ts`);
  }
});

t.test("parts that rooms and relays share know no room and no framework", async (t) => {
  for (const [part, allowed] of Object.entries(INDEPENDENT_PARTS)) {
    const inPart = sources.filter(({ path }) => path.startsWith(`${part}/`));
    t.ok(inPart.length > 0, `${part} has files`);
    for (const { path, imports, packages } of inPart) {
      for (const target of imports) {
        const isAllowed = [part, ...allowed].some((place) => target === place || target.startsWith(`${place}/`));
        t.ok(isAllowed, `${path} may not import ${target}`);
      }
      for (const name of packages) t.ok(name.startsWith("node:"), `${path} may not import ${name}`);
    }
  }
});

t.test("folders of src and of the api import only floors below their own, types included", async (t) => {
  for (const top of Object.keys(FLOORS)) {
    for (const { path, imports } of sources.filter(({ folder }) => folder === top)) {
      t.ok(floorOf(path) >= 0, `${path} has a floor`);
      for (const target of imports.filter((candidate) => candidate.startsWith(`${top}/`))) {
        const isBelow = floorOf(target) < floorOf(path) || folderOf(target) === folderOf(path);
        t.ok(isBelow || floorOf(path) === Number.POSITIVE_INFINITY, `${path} may not import ${target}`);
      }
    }
  }
});

t.test("no folder imports itself through others, types included", async (t) => {
  const byFolder = new Map<string, Set<string>>();
  for (const { path, imports } of sources) {
    const targets = byFolder.get(folderOf(path)) ?? new Set();
    for (const target of imports) if (folderOf(target) !== folderOf(path)) targets.add(folderOf(target));
    byFolder.set(folderOf(path), targets);
  }
  for (const cycle of findCycles(byFolder)) t.fail(`a cycle of folders: ${cycle.join(" > ")}`);
});

t.test("no file imports itself through others, types included", async (t) => {
  const byFile = new Map(sources.map((source) => [source.path, new Set(source.imports)]));
  for (const cycle of findCycles(byFile)) t.fail(`a cycle of imports: ${cycle.join(" > ")}`);
});

t.test("only entry points read process.env", async (t) => {
  for (const path of ENVIRONMENT_READERS) t.ok(sources.find((source) => source.path === path)?.readsEnvironment, path);
  for (const source of sources.filter((candidate) => candidate.readsEnvironment)) {
    t.ok(ENVIRONMENT_READERS.includes(source.path), `${source.path} reads process.env`);
  }
});

/** Each way around that a walk over the graph runs into, as the names along it. */
function findCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const cycles: string[][] = [];
  const finished = new Set<string>();
  const visit = (name: string, trail: readonly string[]): void => {
    if (finished.has(name)) return;
    const start = trail.indexOf(name);
    if (start >= 0) {
      cycles.push([...trail.slice(start), name]);
      return;
    }
    for (const next of graph.get(name) ?? []) visit(next, [...trail, name]);
    finished.add(name);
  };
  for (const name of graph.keys()) visit(name, []);
  return cycles;
}
