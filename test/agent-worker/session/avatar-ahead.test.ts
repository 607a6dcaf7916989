// Avatars that a process opens before it has a session.
import { createHash } from "node:crypto";
import t from "tap";
import { AvatarAhead } from "../../../agent-worker/session/avatar-ahead.ts";
import { pacedEngine } from "../../../room/playout/paced-engine.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import type { Avatar } from "../../../src/face/rendering/avatar.ts";
import { bakedFace } from "../../helpers/faces/baked-face.ts";
import { runtime } from "../../helpers/faces/face-of.ts";

t.test("an avatar opened ahead is for the session that has the same file", async (t) => {
  const imx = await writeImx(await bakedFace("photograph"));
  const file = { imx, sha256: createHash("sha256").update(imx).digest("hex") };
  const lipSyncModel = await loadLipSyncModel();
  const created: Avatar[] = [];
  const options = {
    runtime,
    createEngine: (avatar: Avatar) => {
      created.push(avatar);
      return createEngine({ avatar, runtime, lipSyncModel, ...pacedEngine() });
    },
  };
  const ahead = new AvatarAhead(file, options);
  const avatar = await ahead.take(file.sha256);
  t.equal(avatar?.renderedBy, "executor", "it is open");
  t.same(created, [avatar], "and has been played with");
  t.equal(await ahead.take(file.sha256), null, "once");
  await avatar?.close();
  t.equal(await new AvatarAhead(file, options).take("another"), null);
  t.equal(await new AvatarAhead(file, options).take(null), null, "a session without a file");
  const broken = { ...file, imx: imx.subarray(0, 1000) };
  t.equal(await new AvatarAhead(broken, options).take(file.sha256), null, "the session opens and reports it itself");
});
