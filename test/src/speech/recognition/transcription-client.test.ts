// The client that sessions use for speech recognition on other servers.
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import type { EngineError } from "../../../../shared/engine-error.ts";
import { readWav } from "../../../../src/signal/audio/wav.ts";
import { TranscriptionClient } from "../../../../src/speech/recognition/transcription-client.ts";

const { samples } = readWav(readFileSync(new URL("../../../fixtures/speech/weather-en.wav", import.meta.url)));

t.setTimeout(120_000);

await t.test("a server that is away, slow, refuses or sends no text is told from one that transcribes", async (t) => {
  let answer = (_: ServerResponse): void => undefined;
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  const transcribe = (timeoutMs = 60_000, url = baseUrl) =>
    new TranscriptionClient({ baseUrl: url, apiKey: "k-secret", model: "m", timeoutMs }).transcribe(samples);
  const cases: [string, (response: ServerResponse) => void, string][] = [
    ["busy", (response) => response.writeHead(429).end(), "upstream-unavailable"],
    ["broken", (response) => response.writeHead(500).end(), "upstream-unavailable"],
    ["breaks off", (response) => response.destroy(), "upstream-unavailable"],
    [
      "redirects",
      (response) => response.writeHead(302, { location: "http://127.0.0.2/" }).end(),
      "upstream-unavailable",
    ],
    ["refuses", (response) => response.writeHead(401).end(), "program-failed"],
    ["garbage", (response) => response.end("<html>"), "program-failed"],
    ["null", (response) => response.end("null"), "program-failed"],
    ["endless", (response) => response.end("x".repeat(300_000)), "program-failed"],
  ];
  for (const [title, reply, code] of cases) {
    answer = reply;
    const error = await transcribe().catch((thrown: unknown) => thrown);
    t.match(error, { name: "EngineError", code }, title);
    t.notMatch((error as EngineError).message, /k-secret/);
  }
  answer = () => undefined;
  await t.rejects(transcribe(50), { code: "timeout" });
  await t.rejects(transcribe(60_000, "http://127.0.0.1:1/v1"), { code: "upstream-unavailable" });
  answer = (response) => response.end(JSON.stringify({ text: " Hi. ", language: "english" }));
  t.same(await transcribe(), { text: "Hi.", language: undefined });
});
