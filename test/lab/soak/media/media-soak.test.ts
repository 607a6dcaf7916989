import t from "tap";
import { soakMedia } from "../../../../lab/soak/media/media-soak.ts";
import { findFfmpeg } from "../../../helpers/files/find-ffmpeg.ts";

const FILES = 60;
const SEED = 20_261_123;
const ffmpegPath = findFfmpeg();
t.setTimeout(240_000);

t.test("sixty broken recordings are decoded or refused within the limits, and leave nothing behind", async (t) => {
  const { violations, outcomes } = await soakMedia({ files: FILES, seed: SEED, report: () => undefined });
  t.same(violations, []);
  t.ok(outcomes.decoded > 5 && outcomes["invalid-input"] > 20, JSON.stringify(outcomes));
});

t.test("and by an FFmpeg executable", { skip: ffmpegPath ? false : "no ffmpeg on this machine" }, async (t) => {
  const { violations } = await soakMedia({ files: FILES, seed: SEED, ffmpegPath, report: () => undefined });
  t.same(violations, []);
});
