// What a person of a script sees of an avatar that comes, in a real room.
import { Room } from "@livekit/rtc-node";
import t from "tap";
import { ScriptedPerson } from "../../../cli/conversation/scripted-person.ts";
import { AGENT_INITIALIZING, ATTRIBUTE_AGENT_STATE } from "../../../shared/wire-names.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { waitFor } from "../../helpers/wait-for.ts";

t.test("an avatar is ready when it says so, not when it has joined", async (t) => {
  await withLiveKit(async (livekit) => {
    const avatar = new Room();
    const token = await livekit.mintToken("avatar", {
      grant: { canUpdateOwnMetadata: true },
      attributes: { [ATTRIBUTE_AGENT_STATE]: AGENT_INITIALIZING },
      kind: "agent",
    });
    await avatar.connect(livekit.url, token, { autoSubscribe: false, dynacast: false });
    const person = new ScriptedPerson({
      livekitUrl: livekit.url,
      token: await livekit.mintToken("person"),
      isWatching: false,
    });
    await person.join();
    await waitFor(() => person.state === AGENT_INITIALIZING, "the avatar has joined");
    t.equal(person.isAvatarReady, false);
    await avatar.localParticipant?.setAttributes({ [ATTRIBUTE_AGENT_STATE]: "listening" });
    await waitFor(() => person.isAvatarReady, "the avatar is ready");
    await person.close();
    await avatar.disconnect();
  });
});
