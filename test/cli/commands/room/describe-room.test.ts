// `avatar room`: where a room is, and tokens that the LiveKit server accepts.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Room } from "@livekit/rtc-node";
import t from "tap";
import { withLiveKit } from "../../../helpers/livekit/with-livekit.ts";
import { withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";

t.test("the tokens of one room let an avatar and a user join it, and both see each other", async (t) => {
  const folder = t.testdir();
  await withLiveKit(({ url, apiKey, apiSecret }) =>
    withAvatarCommand(folder, async (command) => {
      const kept = [`LIVEKIT_URL=${url}`, `LIVEKIT_API_KEY=${apiKey}`, `LIVEKIT_API_SECRET=${apiSecret}`];
      await writeFile(join(folder, "livekit.env"), kept.join("\n"));
      const run = (...words: string[]) => command(["room", ...words], { AVATAR_DATA_DIR: folder });
      const { code, stdout, stderr } = await run("museum", "--for", "guide");
      t.equal(code, 0, stderr);
      const lines = Object.fromEntries(
        stdout
          .trim()
          .split("\n")
          .map((line) => line.split("=", 2)),
      );
      t.match(lines, { LIVEKIT_URL: url, ROOM_NAME: "museum" });
      t.notMatch(stdout, new RegExp(apiSecret));

      const [avatar, user] = [new Room(), new Room()];
      try {
        await avatar.connect(lines.LIVEKIT_URL, lines.AVATAR_TOKEN);
        await user.connect(lines.LIVEKIT_URL, lines.USER_TOKEN);
        t.equal(user.name, "museum");
        const [seen] = user.remoteParticipants.values();
        t.equal(seen.attributes["lk.publish_on_behalf"], "guide");
      } finally {
        await user.disconnect();
        await avatar.disconnect();
      }

      const [first, second] = [JSON.parse((await run("--json")).stdout), JSON.parse((await run("--json")).stdout)];
      t.match(first, { schema_version: 1, livekit_url: url, room_name: /^room-/ });
      t.not(first.room_name, second.room_name);
      t.match(await run("two words"), { code: 2, stderr: /letters, digits/ });
    }),
  );
});

t.test("without a service it says how to start one", async (t) => {
  const folder = t.testdir();
  await withAvatarCommand(folder, async (command) => {
    const { code, stderr } = await command(["room"], { AVATAR_DATA_DIR: folder });
    t.equal(code, 69);
    t.match(stderr, /LiveKit server of the service is unknown\.\nStart the service with npm start/);
    t.notMatch(stderr, /at .*\.ts:/, "and shows no stack");
  });
});
