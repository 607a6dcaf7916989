// The sample faces of the pages, and how a voice sounds.
import sharp from "sharp";
import t from "tap";
import { openGallery } from "../../../api/agents/portraits/gallery.ts";
import { createSampleFaces } from "../../../api/samples/sample-faces.ts";
import { MEMBER } from "../../../src/face/imx/imx.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { readWav } from "../../../src/signal/audio/wav.ts";
import { type TestApi, withApi, withIdleApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const FORMANT = { environment: { AVATAR_VOICE: "formant" } };

async function facesOf(api: TestApi) {
  const { status, body } = await api.call("GET", "/samples");
  return { status, faces: body.samples as Record<string, string>[] };
}

async function fetchBytes(url: string): Promise<{ headers: Headers; status: number; bytes: Uint8Array }> {
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

t.test("a page gets six faces without a credential, the first one made as soon as it looks", async (t) => {
  await withApi(async (api) => {
    const { status, faces } = await facesOf(api);
    t.equal(status, 200);
    t.equal(faces.length, 6);
    const { entries } = await openGallery();
    const [first, second] = faces;
    const entry = entries.find(({ id }) => id === first.slug);
    t.match(first, { name: entry?.name, voice: entry?.voice, line: /./, aspect_ratio: "1:1" });
    const isMade = async () => (await fetch(first.poster_url)).headers.get("content-type") === "image/jpeg";
    await waitFor(isMade, "the first face is made");

    const { headers, bytes } = await fetchBytes(first.imx_url);
    t.match(headers.get("cache-control"), /immutable/);
    t.equal(Number(headers.get("content-length")), bytes.length);
    const avatar = await readImx(bytes);
    const poster = await fetchBytes(first.poster_url);
    t.same(poster.bytes, avatar.poster, `${MEMBER.poster} of the same file`);
    t.match(poster.headers.get("cache-control"), /immutable/);

    const early = await fetchBytes(second.poster_url);
    t.equal(early.headers.get("cache-control"), "no-store", "a face that is not made has its picture meanwhile");
    t.ok(Buffer.from(early.bytes).equals((await fetchBytes(second.portrait_url)).bytes));
    t.equal((await fetchBytes(second.imx_url)).status, 200, "and is made when a tab wants to draw it");
    t.equal((await fetch(second.poster_url)).headers.get("content-type"), "image/jpeg");

    const thumbnail = await fetchBytes(second.thumbnail_url);
    t.match(thumbnail.headers.get("cache-control"), /immutable/);
    t.equal(thumbnail.headers.get("content-type"), "image/webp");
    t.ok(thumbnail.bytes.length < 5000, `a thumbnail of ${thumbnail.bytes.length} bytes`);
    const { width, height } = await sharp(thumbnail.bytes).metadata();
    t.same([width, height], [112, 112]);

    const speech = await fetchBytes(first.speech_url);
    t.match(speech.headers.get("cache-control"), /immutable/);
    const { samples, sampleRateHz } = readWav(speech.bytes);
    t.ok(samples.length / sampleRateHz > 2 && samples.length / sampleRateHz < 10, "a line of some seconds");
    t.ok(samples.some((sample) => Math.abs(sample) > 1000));
    for (const path of [
      "/samples/unknown/imx",
      "/samples/elias/poster",
      "/samples/elias/thumbnail",
      "/samples/..%2f..%2fx/portrait",
    ]) {
      t.equal((await api.call("GET", path)).status, 404, path);
    }
  }, FORMANT);
});

t.test("a bake that takes too long is answered with 503 and a time to try again", async (t) => {
  // No job runs.
  await withIdleApi(async ({ agents }) => {
    const faces = createSampleFaces(agents, { timeoutMs: 300 });
    const baking = [1, 2].map(() => faces.whenBaked(faces.find("kenji")));
    for (const refused of baking) {
      await t.rejects(refused, { code: "SERVICE_UNAVAILABLE", retryAfterSeconds: 5 });
    }
  });
});

t.test("a voice is heard without a credential; its line is spoken once", async (t) => {
  await withApi(async (api) => {
    const [answers, other] = await Promise.all([
      Promise.all(Array.from({ length: 6 }, () => fetchBytes(`${api.baseUrl}/v1/voices/F2/preview`))),
      fetchBytes(`${api.baseUrl}/v1/voices/M4/preview`),
    ]);
    for (const { status, headers } of answers) {
      t.equal(status, 200);
      t.equal(headers.get("content-type"), "audio/wav");
      t.match(headers.get("cache-control"), /max-age/);
    }
    const isFirst = ({ bytes }: { bytes: Uint8Array }) => Buffer.from(bytes).equals(answers[0].bytes);
    t.ok(answers.every(isFirst));
    t.notOk(isFirst(other), "each voice has its own");
    const spoken = await api.call("GET", "/metrics");
    t.match(spoken.body, /avatar_speeches_total\{result="completed"\} 2\n/);
    t.ok(isFirst(await fetchBytes(`${api.baseUrl}/v1/voices/F2/preview`)));
    t.match((await api.call("GET", "/metrics")).body, /avatar_speeches_total\{result="completed"\} 2\n/);
    for (const voice of ["F9", "bv1_x", "..%2f..%2fetc"]) {
      const { status, body } = await api.call("GET", `/v1/voices/${voice}/preview`);
      t.match({ status, body }, { status: 404, body: { error: { code: "VOICE_NOT_FOUND" } } }, voice);
    }
  }, FORMANT);
});
