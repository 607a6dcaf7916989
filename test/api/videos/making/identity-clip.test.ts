import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { findAgentByCode } from "../../../../api/agents/record/agent-store.ts";
import { writeImx } from "../../../../src/face/imx/write-imx.ts";
import { bakedFace } from "../../../helpers/faces/baked-face.ts";
import { goldenBaker } from "../../../helpers/faces/golden-baker.ts";
import { probeFilm } from "../../../helpers/files/probe-film.ts";
import { untilAgent } from "../../../helpers/service/until-agent.ts";
import { withApi } from "../../../helpers/service/with-api.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const MADE_MS = 180_000;
const CLIP_FRAMES = 250;

t.setTimeout(240_000);

t.test("a ready agent gets ten seconds at rest, which loop without a jump and go with it", async (t) => {
  const baker = goldenBaker();
  const imx = await writeImx(await bakedFace("drawing"));
  baker.bake = async (task, onProgress) => ({ ...(await goldenBaker().bake(task, onProgress)), imx });
  await withApi(
    async (api) => {
      const { secret } = await api.addAccount({ credits: 5_000 });
      const body = { prompt: "A calm guide to the sea.", model: "essence-2" };
      const { agent_id: code } = (await api.call("POST", "/v1/agent/generate", { secret, body })).body;
      t.match(await untilAgent(api, secret, code), { status: "ready" });
      const find = async () => (await api.call("GET", `/v1/agent/${code}`, { secret })).body.data;
      const {
        video_url: url,
        updated_at: updatedAt,
        ...shown
      } = await waitFor(async () => (await find()).video_url !== "" && find(), "the clip", MADE_MS);
      t.equal(updatedAt, (await find()).updated_at);
      t.match(shown, { status: "ready", event_type: "video_created", current_step: "done" });
      const path = join(t.testdir(), "clip.mp4");
      await writeFile(path, Buffer.from(await (await fetch(url)).arrayBuffer()));
      const { frames } = await probeFilm(path);
      t.equal(frames.length, CLIP_FRAMES);

      const steps = frames.slice(1).map(({ luma }, index) => differenceOf(luma, frames[index].luma));
      const atSeam = differenceOf(frames[0].luma, frames[CLIP_FRAMES - 1].luma);
      const usual = [...steps].sort((a, b) => a - b);
      const metrics = `${atSeam.toFixed(3)} levels; median ${usual[125].toFixed(3)}, largest ${usual[248].toFixed(3)}`;
      // The largest ordinary steps are those to key frames, and the seam is one of these.
      t.ok(atSeam < 1.5 * usual[CLIP_FRAMES - 2], `the seam is an ordinary step: ${metrics}`);
      t.ok(usual[200] > 0, "and the face moves");

      const { clipKey } = (await findAgentByCode(api.services.database, code)) ?? {};
      t.equal((await api.call("DELETE", `/v1/agent/${code}`, { secret })).status, 200);
      t.ok(clipKey);
      t.equal(await api.services.storage.sizeOf(clipKey ?? ""), null);
    },
    { baker, environment: { AVATAR_IDENTITY_CLIPS: "1" }, policies: { filmNiceness: 0 } },
  );
});

/** Mean difference of two planes, levels of 255. */
function differenceOf(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((sum, value, index) => sum + Math.abs(value - other[index]), 0) / one.length;
}
