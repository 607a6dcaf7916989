// `avatar pull` and `avatar list`: files of a real service, and of servers that go wrong.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { openGallery } from "../../../../api/agents/portraits/gallery.ts";
import { sampleKey } from "../../../../api/samples/sample-avatars.ts";
import { renderShape } from "../../../../cli/commands/bundle/render-shape.ts";
import { cacheFolder } from "../../../../cli/commands/models/cache-folder.ts";
import { pullModel } from "../../../../cli/commands/models/pull-model.ts";
import { listMineShape, listShape, pullShape } from "../../../../cli/commands/models/shapes.ts";
import type { Environment } from "../../../../cli/terminal/environment.ts";
import { writeImx } from "../../../../src/face/imx/write-imx.ts";
import { writeWav } from "../../../../src/signal/audio/wav.ts";
import { bakedFace } from "../../../helpers/faces/baked-face.ts";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { readCommand } from "../../../helpers/service/read-command.ts";
import { withApi } from "../../../helpers/service/with-api.ts";
import { withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";

const FILE = Buffer.concat([Buffer.from("IMX\0"), Buffer.alloc(300_000, "a model ")]);
const SHA256 = createHash("sha256").update(FILE).digest("hex");
const { signal } = new AbortController();

function environmentOf(t: Test, baseUrl: string): Environment & { AVATAR_CACHE_DIR: string } {
  const folder = t.testdir();
  return {
    AVATAR_API_URL: baseUrl,
    AVATAR_CACHE_DIR: join(folder, "cache"),
    AVATAR_CONFIG_FILE: join(folder, "credentials.json"),
  };
}

/** Mono, at 16 kHz. */
function toneOf(hz: number, seconds: number) {
  const sampleRateHz = 16_000;
  const samples = Int16Array.from({ length: seconds * sampleRateHz }, (_, at) => {
    return 8000 * Math.sin((2 * Math.PI * hz * at) / sampleRateHz);
  });
  return { samples, sampleRateHz };
}

/** Every file below the folder. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** A service that knows one sample, `maya`. `send` answers the request of its file. */
async function withSource(
  options: { sha256?: string | null; model?: string; send(response: ServerResponse): void },
  work: (baseUrl: string) => Promise<void>,
): Promise<void> {
  const { sha256 = null, model = "expression-2", send } = options;
  const server = createServer((incoming, response) => {
    const url = incoming.url ?? "";
    if (url.startsWith("/files/")) return send(response);
    const isKnown = url.startsWith("/v1/agent/sample-maya/model/download");
    const link = { code: "sample-maya", model, filename: "x.imx", url: `${baseUrl}/files/samples/x?expires=1`, sha256 };
    const error = { code: "NOT_FOUND", message: "Agent not found for code: x", httpStatus: 404 };
    response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isKnown ? { success: true, data: { ...link, expires_in: 3600 } } : { error }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await work(baseUrl);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

t.test("samples and agents of a service are listed and fetched once", async (t) => {
  await withApi(
    async (api) => {
      const environment = environmentOf(t, api.baseUrl);
      const { account, secret } = await api.addAccount();
      const face = await writeImx(await bakedFace("drawing"));
      const code = await addAgent(api.services, {
        userId: account.userId,
        name: "No\u001b[2Jva",
        hasFace: true,
        families: ["essence-2", "expression-2"],
      });
      const [maya] = (await openGallery()).entries.filter(({ id }) => id === "maya");
      await api.services.storage.put(sampleKey(maya), face);
      await withAvatarCommand(t.testdirName, async (command) => {
        const run = async (...words: string[]) => command(words, { ...environment, AVATAR_API_SECRET: secret });
        const pulled = await run("pull", "maya", "--json");
        t.equal(pulled.code, 0, pulled.stderr);
        const first = readCommand(pullShape, pulled.stdout);
        t.match(first, { code: "sample-maya", cached: false, family: "expression-2", runnable_locally: true });
        t.ok(first.path.startsWith(environment.AVATAR_CACHE_DIR));
        t.same(await readFile(first.path), Buffer.from(face));
        const again = await run("pull", "sample-maya");
        t.equal(again.stdout, `${first.path}\n`, "the path alone");
        t.match(JSON.parse((await run("pull", "maya", "--json")).stdout), { cached: true, path: first.path });
        t.match(JSON.parse((await run("pull", "maya", "--force", "--json")).stdout), { cached: false });

        await writeFile(join(t.testdirName, "hum.wav"), writeWav(toneOf(440, 0.2)));
        const rendered = await run("render", "maya", "hum.wav", "--limit", "2", "--json");
        t.equal(rendered.code, 0, rendered.stderr);
        t.match(readCommand(renderShape, rendered.stdout), { output: "hum.mp4", frames: 2 });

        const own = readCommand(pullShape, (await run("pull", code, "--model", "essence-2", "--json")).stdout);
        t.match(own, { code, cached: false, family: "essence-2" });
        t.ok(own.other_models.includes("expression-2") && !own.other_models.includes("essence-2"));

        const samples = readCommand(listShape, (await run("list", "--json")).stdout).samples;
        t.match(samples, [{ slug: "maya", code: "sample-maya", pulled: true }]);
        const { agents } = readCommand(listMineShape, (await run("list", "--mine", "--json")).stdout);
        t.match(agents, [{ code, status: "ready", model: "essence-2", pulled: true }]);
        const table = (await run("list", "--mine")).stdout;
        t.match(table, /code +name +status +model/);
        t.notMatch(table, "\u001b", "a name cannot move the cursor");

        const unknown = await run("pull", "Z00ZZZ0000", "--json");
        t.equal(unknown.code, 66);
        t.match(JSON.parse(unknown.stderr), { error: { code: "NOT_FOUND", command: "pull" } });
        const rejected = await command(["list", "--mine", "--json"], { ...environment, AVATAR_API_SECRET: "wrong" });
        t.equal(rejected.code, 77);
        const without = await command(["list", "--mine", "--json"], { ...environment, AVATAR_API_SECRET: "" });
        t.match(JSON.parse(without.stderr), { error: { kind: "no_permission" } });
        t.match(await run("pull", "../maya", "--json"), { code: 2 });
        t.match(await run("pull", "maya", "--model", "essence-9", "--json"), { code: 2 });
      });
    },
    { background: false },
  );
});

t.test("a file that was fetched is used while the service is away", async (t) => {
  let environment: Environment = {};
  await withSource({ sha256: SHA256, send: (response) => response.end(FILE) }, async (baseUrl) => {
    environment = environmentOf(t, baseUrl);
    const { path, isCached } = await pullModel("maya", { environment, signal });
    t.equal(isCached, false);
    t.same(await readFile(path), FILE);
    await writeFile(path, "broken");
    t.equal((await pullModel("maya", { environment, signal })).isCached, false, "a damaged file is fetched again");
  });
  const notes: string[] = [];
  const { isCached } = await pullModel("maya", { environment, signal, onNote: (line) => notes.push(line) });
  t.equal(isCached, true);
  t.match(notes, [/away/]);
  await t.rejects(pullModel("maya", { environment, signal, force: true }), { name: "ConnectionError" });
  await t.rejects(pullModel("kenji", { environment, signal }), { name: "ConnectionError" });
});

t.test("what arrives damaged, cut short, too large or as something else is not kept", async (t) => {
  const cases: [string, { sha256?: string | null; model?: string; send(response: ServerResponse): void }, RegExp][] = [
    ["another file", { sha256: "0".repeat(64), send: (response) => response.end(FILE) }, /SHA-256/],
    ["a page", { send: (response) => response.end("<!doctype html>") }, /no model file/],
    ["nothing", { send: (response) => response.end() }, /no model file/],
    ["an error", { send: (response) => response.writeHead(404).end() }, /404/],
    ["a model of the future", { model: "essence-7", send: (response) => response.end(FILE) }, /another version/],
    [
      "half of it",
      {
        send(response) {
          response.writeHead(200, { "content-length": FILE.length });
          response.write(FILE.subarray(0, 1000), () => response.destroy());
        },
      },
      /did not arrive/,
    ],
    [
      "a file without end",
      {
        send(response) {
          const more = () => {
            while (!response.destroyed && response.write(FILE));
          };
          response.on("drain", more);
          more();
        },
      },
      /larger than/,
    ],
  ];
  for (const [name, source, message] of cases) {
    await withSource(source, async (baseUrl) => {
      const environment = environmentOf(t, baseUrl);
      await t.rejects(pullModel("maya", { environment, signal }), { message }, name);
      t.same(await filesIn(environment.AVATAR_CACHE_DIR), [], `${name}: no files are left`);
    });
  }
});

t.test("Ctrl-C while a file arrives leaves nothing, and no file that was there is lost", async (t) => {
  let isHanging = false;
  const send = (response: ServerResponse) => {
    response.writeHead(200, { "content-length": FILE.length });
    if (isHanging) response.write(FILE.subarray(0, 1000));
    else response.end(FILE);
  };
  await withSource({ send }, async (baseUrl) => {
    const environment = environmentOf(t, baseUrl);
    const { path } = await pullModel("maya", { environment, signal });
    isHanging = true;
    const interrupted = new AbortController();
    const pulling = pullModel("maya", {
      environment,
      force: true,
      signal: interrupted.signal,
      onBytes: () => interrupted.abort(),
    });
    await t.rejects(pulling, { name: "AbortError" });
    t.same(await readFile(path), FILE);
    t.same((await filesIn(environment.AVATAR_CACHE_DIR)).sort(), ["expression-2.imx", "expression-2.json"]);
  });
});

t.test("a cache that cannot be written, and where it is", async (t) => {
  t.equal(cacheFolder({ AVATAR_CACHE_DIR: "/x" }), "/x");
  t.equal(cacheFolder({ XDG_CACHE_HOME: "/c", HOME: "/h" }), join("/c", "open-avatar"));
  t.equal(cacheFolder({ HOME: "/h" }), join("/h", ".cache", "open-avatar"));
  await withSource({ send: (response) => response.end(FILE) }, async (baseUrl) => {
    const environment = environmentOf(t, baseUrl);
    await mkdir(environment.AVATAR_CACHE_DIR, { recursive: true });
    await writeFile(join(environment.AVATAR_CACHE_DIR, "models"), "a file where the folder should be");
    await t.rejects(pullModel("maya", { environment, signal }), { code: "CACHE_FOLDER", message: /cannot be written/ });
  });
});
