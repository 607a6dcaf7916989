// What the face is told of a person's microphone in a conversation in a real room.
import { AudioFrame, AudioSource, LocalAudioTrack, TrackPublishOptions, TrackSource } from "@livekit/rtc-node";
import t from "tap";
import { AnsweringModel } from "../../../agent-worker/conversation/answering-model.ts";
import {
  RoomConversation,
  type RoomConversationOptions,
} from "../../../agent-worker/conversation/room-conversation.ts";
import { createLogger } from "../../../program/log.ts";
import type { JobDescription } from "../../../shared/runtime-api.ts";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { TestRoom } from "../../helpers/rooms/test-room.ts";
import { withPhrases } from "../../helpers/speech/spoken-phrases.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const FRAME_SAMPLES = SPEECH_SAMPLE_RATE_HZ / 50;
/** The queue of the source, ms: audio is sent in real time. */
const QUEUE_MS = 100;

t.setTimeout(120_000);

t.test("the face hears each phrase of a conversation, and that the microphone has dropped out", async (t) => {
  const spoken = await withPhrases((speak) =>
    speak(["It stopped working yesterday.", "Do you deliver on Sundays?"], { voiceId: "F1", language: "en" }),
  );
  const logger = createLogger({ level: "silent", name: "test" });
  await withLiveKit(async (livekit) => {
    const rooms = { avatar: new TestRoom(), ada: new TestRoom() };
    for (const [identity, room] of Object.entries(rooms))
      await room.connect(livekit.url, await livekit.mintToken(identity), { autoSubscribe: false, dynacast: false });
    const heard: string[] = [];
    const conversation = new RoomConversation({
      room: rooms.avatar,
      avatar: {
        listens: () => undefined,
        thinks: () => undefined,
        hears: (what: string) => heard.push(what),
        speak: () => t.fail("there is nothing to say"),
      } as never,
      echo: { clean: (samples) => samples, hasEcho: false },
      attributes: undefined,
      api: { searchKnowledge: async () => [], reportMessages: async () => undefined, isRefusal: () => false },
      job: { system_prompt: "", agent_name: "Nova", avatar_session_id: "cs_1" } as JobDescription,
      language: "en",
      parts: {
        stt: { transcribe: () => new Promise(() => undefined) },
        endOfTurn: { predict: async () => 0, threshold: () => 1 },
        model: new AnsweringModel({ provider: null, settings: null, find: async () => null, logger }),
        realtime: null,
        headers: {},
      } as unknown as RoomConversationOptions["parts"],
      checkpoint: undefined,
      whenHeard: () => new Promise(() => undefined),
      onEvent: () => undefined,
      logger,
    });
    conversation.start();
    const source = new AudioSource(SPEECH_SAMPLE_RATE_HZ, 1, QUEUE_MS);
    const track = LocalAudioTrack.createAudioTrack("microphone", source);
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE, dtx: false });
    const publication = await rooms.ada.localParticipant!.publishTrack(track, options);
    const send = async (samples: Int16Array): Promise<void> => {
      for (let at = 0; at + FRAME_SAMPLES <= samples.length; at += FRAME_SAMPLES) {
        const frame = samples.slice(at, at + FRAME_SAMPLES);
        await source.captureFrame(new AudioFrame(frame, SPEECH_SAMPLE_RATE_HZ, 1, FRAME_SAMPLES));
      }
    };
    await send(new Int16Array(SPEECH_SAMPLE_RATE_HZ));
    await send(spoken.samples);
    // A lost packet may sound like the beginning of speech.
    const ends = () => heard.filter((what) => what !== "speech");
    await waitFor(() => ends().length >= 2, "both phrases were heard");
    t.same(ends(), ["statement", "question"]);
    const before = heard.length;
    const middleMs = (spoken.ends[0].atMs - 500) * (SPEECH_SAMPLE_RATE_HZ / 1000);
    await send(spoken.samples.subarray(0, Math.round(middleMs)));
    await waitFor(() => heard.slice(before).includes("speech"), "another phrase has begun");
    await rooms.ada.localParticipant!.unpublishTrack(publication.sid!);
    await waitFor(() => heard.includes("lost"), "the microphone is known to be gone");
    // Until the room says so, a microphone that is gone is silent.
    t.equal(heard.at(-1), "lost");
    await conversation.close();
    await source.close();
    for (const room of Object.values(rooms)) await room.disconnect();
  });
});
