import t from "tap";
import { createFileLinks } from "../../../api/kernel/storage/file-links.ts";
import type { Video } from "../../../api/videos/video.ts";
import { viewVideo } from "../../../api/videos/video-views.ts";

const fileLinks = createFileLinks({
  publicUrl: "https://avatars.example",
  signingKey: Buffer.alloc(32, 7),
  now: () => 0,
});
const LARGE: Video = {
  id: "vid_1",
  userId: "u",
  agentId: "1",
  agentCode: "A1",
  family: "essence-2",
  model: "essence-2",
  status: "completed",
  input: null,
  progress: 1,
  rateCredits: 4,
  credits: 4,
  durationMs: 1_000,
  canvas: { widthPx: 1080, heightPx: 1080 },
  widthPx: 1080,
  heightPx: 1080,
  enlargement: 1080 / 768,
  bundleKey: null,
  hasSubtitles: false,
  errorMessage: null,
  createdAt: new Date(0),
  deletedAt: null,
};

t.test("a video says when its portrait was too small for it", async (t) => {
  t.match(viewVideo(LARGE, fileLinks), {
    width: 1080,
    height: 1080,
    warnings: [{ code: "PICTURE_TOO_SMALL", message: /1080 x 1080: it was enlarged 1\.4 times/ }],
  });
  for (const enlargement of [1.1, null]) {
    t.notOk("warnings" in viewVideo({ ...LARGE, enlargement }, fileLinks));
  }
});
