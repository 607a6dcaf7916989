// What an avatar file in a real room hears of a user, and how its face is opened.
import t from "tap";
import { type LiveOptions, openLive } from "../../../../sdk/engine/live.ts";
import type { JoinRequest } from "../../../../sdk/livekit-agents/bundle/bundle-messages.ts";
import { BundleParticipant } from "../../../../sdk/livekit-agents/bundle/bundle-participant.ts";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../../shared/units.ts";
import { bundleFile } from "../../../helpers/faces/bundle-file.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";
import { disposeRtc } from "../../../helpers/livekit/dispose-rtc.ts";
import { withLiveKit } from "../../../helpers/livekit/with-livekit.ts";
import { TestMicrophone } from "../../../helpers/rooms/test-microphone.ts";
import { TestRoom } from "../../../helpers/rooms/test-room.ts";
import { AVATAR_IDENTITY, TestSender } from "../../../helpers/rooms/with-room-avatar.ts";
import { withPhrases } from "../../../helpers/speech/spoken-phrases.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

t.teardown(disposeRtc);
t.setTimeout(120_000);

/** Longer than a busy machine needs to send a question. It is cut. */
const TONE_S = 30;

const bundle = await bundleFile(await makeDataFolder(t));
const events = { logger: { debug: () => undefined, warn: () => undefined }, onEnd: () => undefined };

t.test("the face hears a user's question, not while it speaks, and never with listen: false", async (t) => {
  const question = await withPhrases((speak) =>
    speak(["Do you deliver on Sundays?"], { voiceId: "F1", language: "en" }),
  );
  await withLiveKit(async ({ url, mintToken }) => {
    const heard: Record<string, string[]> = {};
    const opened: LiveOptions[] = [];
    const join = async (identity: string, motion: Partial<JoinRequest> = {}) => {
      const livekitToken = await mintToken(identity, { kind: "agent" });
      const notes: string[] = [];
      heard[identity] = notes;
      return BundleParticipant.join({ bundle, livekitUrl: url, livekitToken, ...motion }, events, async (...given) => {
        opened.push(given[1] ?? {});
        const live = await openLive(...given);
        return { ...live, engine: Object.assign(live.engine, { heard: (what: string) => notes.push(what) }) };
      });
    };
    const [userRoom, senderRoom] = [new TestRoom(), new TestRoom()];
    const options = { autoSubscribe: false, dynacast: false };
    await userRoom.connect(url, await mintToken("user"), options);
    await senderRoom.connect(url, await mintToken("agent", { kind: "agent" }), options);
    const microphone = new TestMicrophone(userRoom);
    await microphone.publish();
    const avatar = await join(AVATAR_IDENTITY, { emotion: "happy:0.6", manner: "animated" });
    const deaf = await join("deaf", { listen: false, seed: 7 });
    t.match(opened[0], { emotion: "happy:0.6", manner: "animated", seed: Number });
    t.match(opened[1], { seed: 7, emotion: undefined });

    const silence = new Int16Array(SPEECH_SAMPLE_RATE_HZ);
    await microphone.send(silence);
    await microphone.send(question.samples);
    await microphone.send(silence);
    await waitFor(() => heard[AVATAR_IDENTITY].includes("question"), "the question is heard");

    const sender = new TestSender(senderRoom);
    const tone = Int16Array.from({ length: TONE_S * SPEECH_SAMPLE_RATE_HZ }, (_, i) => 6_000 * Math.sin(i / 9));
    const saying = sender.say(tone);
    await waitFor(() => sender.reports.some(({ method }) => method === "started"), "the avatar speaks");
    heard[AVATAR_IDENTITY].length = 0;
    await microphone.send(question.samples);
    t.same(sender.finished, [], "it speaks still");
    t.same(heard[AVATAR_IDENTITY], []);
    await saying;
    await sender.clear();
    await waitFor(() => sender.finished.length > 0, "the avatar has spoken");
    await microphone.send(question.samples);
    await microphone.send(silence);
    await waitFor(() => heard[AVATAR_IDENTITY].includes("question"), "the next question is heard");
    t.same(heard.deaf, []);

    for (const one of [avatar, deaf]) await one.close();
    await microphone.close();
    for (const room of [userRoom, senderRoom]) await room.disconnect();
  });
});
