// `avatar voices`: the catalogue, and files that are fetched from a server of our own.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t from "tap";
import { fetchVoice } from "../../../../cli/commands/voices/fetch-voice.ts";
import { createOutgoingClient } from "../../../../program/outgoing/outgoing-client.ts";
import { readWav } from "../../../../src/signal/audio/wav.ts";
import type { FetchableVoice } from "../../../../src/speech/voice/fetched/fetchable-voices.ts";
import { FETCHABLE_VOICES } from "../../../../src/speech/voice/fetched/fetchable-voices.ts";
import { withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";
import { writeSmallVoice } from "../../../helpers/speech/small-piper-voice.ts";

const MODEL = Buffer.alloc(300_000, "a voice ");
const CONFIG = Buffer.from("{}");
const FIRST_BYTES = 120_000;

/** A server with the files. Under `/half` it drops the first answer about the model after some bytes; `/other` has
 *  another file. */
async function withSource(work: (base: string, ranges: (string | undefined)[]) => Promise<void>): Promise<void> {
  const ranges: (string | undefined)[] = [];
  const server = createServer((incoming, outgoing) => {
    const { url = "", headers } = incoming;
    if (url.startsWith("/none")) return outgoing.writeHead(404).end();
    if (url.endsWith(".json")) return outgoing.end(CONFIG);
    ranges.push(headers.range);
    if (url.startsWith("/other")) return outgoing.end(Buffer.alloc(MODEL.length, "x"));
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
    if (from > 0) return outgoing.writeHead(206).end(MODEL.subarray(from));
    if (!url.startsWith("/half")) return outgoing.end(MODEL);
    outgoing.writeHead(200, { "content-length": MODEL.length });
    return outgoing.write(MODEL.subarray(0, FIRST_BYTES), () => setTimeout(() => outgoing.destroy(), 50));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, ranges);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function voiceFrom(...places: string[]): FetchableVoice {
  const file = (name: "model.onnx" | "config.json", ending: string, bytes: Buffer) => ({
    name,
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    sources: places.map((place) => `${place}/test${ending}`),
  });
  return {
    ...FETCHABLE_VOICES[0],
    id: "test",
    files: [file("model.onnx", ".onnx", MODEL), file("config.json", ".onnx.json", CONFIG)],
  };
}

t.test("an interrupted voice goes on where it stopped; a wrong file is not kept", async (t) => {
  const client = createOutgoingClient({ allowPrivate: true });
  t.teardown(() => client.close());
  await withSource(async (base, ranges) => {
    const voices = t.testdir();
    const options = { client, voices, isQuiet: true };
    await t.rejects(fetchVoice(voiceFrom(`${base}/half`), options), { code: "UNAVAILABLE" });
    const arrived = async () => (await stat(join(voices, ".partial", "test", "model.onnx"))).size;
    const first = await arrived();
    t.same(await readdir(join(voices, ".partial", "test")), ["model.onnx"], "what has arrived stays");
    const message = /none\/test.onnx: .*404[\s\S]*other\/test.onnx: it is another file/;
    await t.rejects(fetchVoice(voiceFrom(`${base}/none`, `${base}/other`), options), { message });
    t.same(await readdir(join(voices, ".partial", "test")), [], "a wrong file would spoil the next attempt");
    t.equal(ranges.at(-1), `bytes=${first}-`);

    await t.rejects(fetchVoice(voiceFrom(`${base}/half`), options));
    const second = await arrived();
    await fetchVoice(voiceFrom(`${base}/none`, `${base}/half`), options);
    t.equal(ranges.at(-1), `bytes=${second}-`, "only the rest is fetched");
    t.ok(MODEL.equals(await readFile(join(voices, "test", "model.onnx"))));
    t.ok(CONFIG.equals(await readFile(join(voices, "test", "config.json"))));

    await mkdir(join(voices, ".partial", "test"), { recursive: true });
    await writeFile(join(voices, ".partial", "test", "model.onnx"), Buffer.alloc(MODEL.length));
    await fetchVoice(voiceFrom(`${base}/whole`), options);
    t.equal(ranges.at(-1), undefined, "a damaged file of the right length is fetched again");

    const copy = t.testdir({ "test.onnx": MODEL, "test.onnx.json": CONFIG });
    await fetchVoice(voiceFrom(), { ...options, voices: join(copy, "voices"), source: copy });
    t.same(await readdir(join(copy, "voices", "test")), ["config.json", "model.onnx"], "from a folder");
  });
});

t.test("list, say and remove", { timeout: 60_000 }, async (t) => {
  const folder = t.testdir();
  await withAvatarCommand(folder, async (run) => {
    await writeSmallVoice(join(folder, ".data", "voices", "en_US-own-low"), "en-us");
    const list = JSON.parse((await run(["voices", "list", "--json"])).stdout);
    const known = ["F5", "de_DE-mls-medium", "en_US-own-low"].map((id) =>
      list.voices.find((voice: { id: string }) => voice.id === id),
    );
    t.match(known, [
      { state: "built in", bytes: null },
      { state: "can be fetched", languages: ["de"], bytes: 76_970_027, licence: /CC BY 4.0/, card: /^https:/ },
      { state: "fetched", languages: ["en"], licence: "unknown" },
    ]);
    const table = (await run(["voices", "list"])).stdout;
    t.match(table, /Built in: M1 Alex.*voice +state +language +size.*de_DE-mls-medium +can be fetched +de +77 MB/s);

    const said = await run(["voices", "say", "en_US-own-low", "Papa.", "-o", "papa.wav", "--json"]);
    t.match(JSON.parse(said.stdout), { file: "papa.wav", sample_rate_hz: 16_000 });
    const { samples } = readWav(await readFile(join(folder, "papa.wav")));
    t.ok(samples.length > 8000);

    t.match((await run(["voices", "pull", "xx"])).stderr, /no voice xx in the catalogue.*de_DE-mls-medium/s);
    const nowhere = await run(["voices", "pull", "de_DE-mls-medium", "--source", join(folder, "nothing")]);
    t.match(nowhere.stderr, /could not be fetched/);
    t.equal(nowhere.code, 69);
    t.match((await run(["voices", "remove", "../voices"])).stderr, /was not fetched/);
    t.match((await run(["voices", "remove", "en_US-own-low"])).stdout, /is deleted/);
    t.match((await run(["voices", "say", "en_US-own-low", "Papa."])).stderr, /Voice not found: en_US-own-low/);
  });
});
