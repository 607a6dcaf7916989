// What an avatar hears of the users in a real room.
import t from "tap";
import { maySubscribe } from "../../../agent-worker/room/may-subscribe.ts";
import { LoudestMicrophone } from "../../../room/participants/loudest-microphone.ts";
import { OtherSpeakers } from "../../../room/participants/other-speakers.ts";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { TestMicrophone } from "../../helpers/rooms/test-microphone.ts";
import { TestRoom } from "../../helpers/rooms/test-room.ts";
import { withPhrases } from "../../helpers/speech/spoken-phrases.ts";
import { waitFor } from "../../helpers/wait-for.ts";

t.setTimeout(180_000);

t.test("phrases of the loudest user are heard; what drops out is lost; nothing while the avatar speaks", async (t) => {
  const { samples, ends: phraseEnds } = await withPhrases((speak) =>
    speak(["It stopped working yesterday.", "Do you deliver on Sundays?"], { voiceId: "F1", language: "en" }),
  );
  await withLiveKit(async (livekit) => {
    const rooms = { avatar: new TestRoom(), ada: new TestRoom(), ben: new TestRoom(), agent: new TestRoom() };
    for (const [identity, room] of Object.entries(rooms)) {
      const kind = identity === "agent" ? "agent" : "standard";
      const token = await livekit.mintToken(identity, { kind });
      await room.connect(livekit.url, token, { autoSubscribe: false, dynacast: false });
    }
    const [ada, ben, agent] = [rooms.ada, rooms.ben, rooms.agent].map((room) => new TestMicrophone(room));
    const heard: string[] = [];
    // A lost packet may sound like the beginning of speech.
    const ends = () => heard.filter((what) => what !== "speech");
    const others = new OtherSpeakers({ room: rooms.avatar, onChange: () => undefined });
    const microphone = new LoudestMicrophone({ room: rooms.avatar, onHeard: (what) => heard.push(what) });
    others.start();
    microphone.start();
    await agent.publish();
    await ada.publish();
    const silence = new Int16Array(SPEECH_SAMPLE_RATE_HZ);
    await Promise.all([ada.send(silence), agent.send(samples)]);
    t.same(heard, [], "another agent is no user");
    await ada.send(samples);
    await waitFor(() => ends().length >= 2, "both phrases were heard");
    t.same(ends(), ["statement", "question"]);

    heard.length = 0;
    microphone.isIgnored = true;
    await ada.send(samples);
    microphone.isIgnored = false;
    await ada.send(silence);
    t.same(ends(), [], "nothing while the avatar speaks");

    await ben.publish();
    await Promise.all([ben.send(silence), ada.send(silence)]);
    t.same(ends(), [], "another microphone changes nothing before its user speaks");
    await Promise.all([ben.send(samples), ada.send(new Int16Array(samples.length))]);
    await waitFor(() => heard.includes("question"), "the user who speaks is heard");
    t.equal(ends()[0], "lost", "in the place of the one before");

    heard.length = 0;
    const untilMiddle = Math.round(((phraseEnds[0].atMs - 500) * SPEECH_SAMPLE_RATE_HZ) / 1000);
    await Promise.all([ben.send(samples.subarray(0, untilMiddle)), ada.send(new Int16Array(untilMiddle))]);
    await waitFor(() => heard.includes("speech"), "a phrase has begun");
    await ben.unpublish();
    await waitFor(() => heard.includes("lost"), "the microphone is known to be gone");
    // Until the room says so, a microphone that is gone is silent.
    t.equal(heard.at(-1), "lost");
    await ada.send(silence);
    await ada.send(samples);
    await waitFor(() => heard.includes("question"), "and the other user is heard again");

    heard.length = 0;
    microphone.close();
    microphone.close();
    t.same(heard, ["lost"]);
    await ada.send(samples);
    t.same(heard, ["lost"], "nothing is heard any more");
    others.close();
    for (const each of [ada, ben, agent]) await each.close();
    for (const room of Object.values(rooms)) await room.disconnect();
  });
});

t.test("a join token lets the avatar subscribe unless it forbids that", async (t) => {
  await withLiveKit(async ({ mintToken }) => {
    t.equal(maySubscribe(await mintToken("avatar")), true);
    t.equal(maySubscribe(await mintToken("avatar", { grant: { canSubscribe: true } })), true);
    t.equal(maySubscribe(await mintToken("avatar", { grant: { canSubscribe: false } })), false);
    t.equal(maySubscribe("garbled"), false);
  });
});
