// An agent speaks through the drawn face of the example, and a viewer sees its mouth open.
import { AvatarListener } from "../../../cli/demo/avatar-listener.ts";
import { mintRoomToken } from "../../../cli/service/room-token.ts";
import { waitFor } from "../../../test/helpers/wait-for.ts";
import { speakFor } from "../../bench/speech.ts";
import { SpeechSender } from "../../bench/speech-sender.ts";
import { type ExampleCheck, expect } from "./example-check.ts";

const AVATAR = "own-avatar";
const ROOM = "own-runner";
const FINISH_TIMEOUT_MS = 20_000;
/** Where the mouth is only when it is wide open, px. */
const [MOUTH_X, MOUTH_Y] = [128, 200];

export const checkOwnRunner: ExampleCheck = {
  example: "own-runner",
  async check({ project, environment, service: { livekit } }) {
    const runner = project.start("npm", ["start", "--", ROOM, "agent"], environment);
    await runner.printed(/own-avatar is in the room own-runner and waits for agent/);
    const luma = new Set<number>();
    const listener = new AvatarListener(AVATAR, {
      onFrame: ({ frame: { data, widthPx } }) => luma.add(data[MOUTH_Y * widthPx + MOUTH_X]),
      onAudio: () => undefined,
    });
    const sender = new SpeechSender(AVATAR);
    try {
      await listener.start(livekit.url, await mintRoomToken(livekit, { roomName: ROOM, identity: "viewer" }));
      await waitFor(() => luma.size > 0, "the face is seen");
      await sender.start(livekit.url, await mintRoomToken(livekit, { roomName: ROOM, identity: "agent" }));
      const [sentence] = await speakFor(1);
      await sender.sendAhead(sentence);
      await sender.waitUntilFinished(1, FINISH_TIMEOUT_MS);
      expect(!sender.reports[0].interrupted, "the speech was cut");
      const range = Math.max(...luma) - Math.min(...luma);
      expect(range > 40, `the mouth does not move: its brightness changes by ${range}`);
    } finally {
      await sender.close();
      await listener.close();
    }
  },
};
