// What a visitor's join token allows on a real LiveKit server, with the avatar's own receiver in the room.
import { once } from "node:events";
import {
  AudioSource,
  LocalAudioTrack,
  LocalVideoTrack,
  type Room,
  TrackPublishOptions,
  TrackSource,
  VideoSource,
} from "@livekit/rtc-node";
import { decodeJwt } from "jose";
import t from "tap";
import { RoomGestures } from "../../../agent-worker/room/room-gestures.ts";
import { createLogger } from "../../../program/log.ts";
import { SenderBinding } from "../../../room/participants/sender-binding.ts";
import { answerClearBuffer } from "../../../room/sender/answer-clear-buffer.ts";
import { AudioReceiver } from "../../../room/sender/audio-receiver.ts";
import {
  AGENT_NAME,
  RPC_CLEAR_BUFFER,
  RPC_TRIGGER_DYNAMICS,
  TOPIC_AUDIO_STREAM,
  TOPIC_CHAT,
} from "../../../shared/wire-names.ts";
import { notingEngine } from "../../helpers/faces/noting-engine.ts";
import { TestRoom } from "../../helpers/rooms/test-room.ts";
import { mintJoinToken, withSessions } from "../../helpers/service/with-sessions.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });
const MONO = { sample_rate: "16000", num_channels: "1" };
const SECOND = new Uint8Array(32_000);

t.test(
  "a visitor may speak, type, show a camera and trigger gestures, but no screen, never drives the avatar and renames no one",
  async (t) => {
    await withSessions({}, async ({ api, livekit, converse }) => {
      const { id, token, visitorToken, roomName } = await converse();
      const { body: job } = await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer: token });
      const avatar = new TestRoom();
      const visitor = new TestRoom();
      const agent = new TestRoom();
      await avatar.connect(livekit.url, job.livekit_token);
      await visitor.connect(livekit.url, visitorToken);
      const you = visitor.localParticipant;
      if (!you) throw new Error("the visitor is not in the room");
      const { engine, notes } = notingEngine();
      const binding = new SenderBinding(avatar);
      binding.start();
      const receiver = new AudioReceiver({
        room: avatar,
        binding,
        engine,
        logger,
        onAudio: () => undefined,
        onSegment: (segmentId, sender) => notes.push(`${segmentId} of ${sender}`),
        onSegmentRefused: () => undefined,
      });
      receiver.start();
      const player = { gesture: null, trigger: (name: string) => name === "nod", stopGesture: () => undefined };
      const gestures = new RoomGestures({ engine: player, hasCues: false, language: "en" });
      answerClearBuffer({ room: avatar, binding, clear: () => notes.push("clear") });
      avatar.localParticipant?.registerRpcMethod(RPC_TRIGGER_DYNAMICS, async ({ payload }) =>
        gestures.perform(payload),
      );
      const typed: string[] = [];
      avatar.registerTextStreamHandler(TOPIC_CHAT, async (reader) => {
        typed.push(await reader.readAll());
      });
      try {
        await waitFor(() => avatar.remoteParticipants.size === 1, "the avatar to see its visitor");
        const sendAudio = async ({ localParticipant }: Room, destinationIdentities: string[]) => {
          const stream = await localParticipant?.streamBytes({
            name: "audio",
            topic: TOPIC_AUDIO_STREAM,
            attributes: MONO,
            destinationIdentities,
          });
          await stream?.write(SECOND);
          await stream?.close();
        };
        await sendAudio(visitor, [AGENT_NAME]);
        await sendAudio(visitor, []);
        // Sent after the audio, in the same order: when the text is here, the audio was.
        await you.sendText("What is it like in there?", { topic: TOPIC_CHAT });
        await waitFor(() => typed.length === 1, "the typed text");
        t.same(typed, ["What is it like in there?"]);
        t.same(notes, [], "audio that a visitor sends as a stream is not played");
        const request = (method: string, payload: object) =>
          you.performRpc({ destinationIdentity: AGENT_NAME, method, payload: JSON.stringify(payload) });
        const nod = JSON.parse(await request(RPC_TRIGGER_DYNAMICS, { action: "nod" }));
        t.match(nod, { animation_triggered: true, played: "nod" });
        t.equal(await request(RPC_CLEAR_BUFFER, {}), "ignored");
        await agent.connect(livekit.url, await mintJoinToken(roomName, { identity: "agent" }));
        await waitFor(() => binding.identity === "agent", "an agent is bound");
        await sendAudio(visitor, [AGENT_NAME]);
        await sendAudio(agent, [AGENT_NAME]);
        await waitFor(() => notes.includes("end room-1"), "the agent's audio");
        t.same(notes, ["room-1 of agent", "open room-1 16000", "end room-1"], "an agent's is, and only that");

        await you.setAttributes({ "lk.publish_on_behalf": AGENT_NAME }).catch(() => undefined);
        await you.updateName("the avatar").catch(() => undefined);
        const microphone = LocalAudioTrack.createAudioTrack("voice", new AudioSource(48_000, 1));
        const published = once(avatar, "trackPublished");
        const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
        await you.publishTrack(microphone, options);
        await published;
        const camera = LocalVideoTrack.createVideoTrack("camera", new VideoSource(64, 64));
        await you.publishTrack(camera, new TrackPublishOptions({ source: TrackSource.SOURCE_CAMERA }));
        t.same(decodeJwt<{ video: object }>(visitorToken).video, {
          room: roomName,
          roomJoin: true,
          canSubscribe: true,
          canPublish: true,
          canPublishData: true,
          canPublishSources: ["microphone", "camera"],
          canUpdateOwnMetadata: false,
        });
        const seen = [...avatar.remoteParticipants.values()].find(({ identity }) => identity !== "agent");
        if (!seen) throw new Error("the visitor has left");
        t.same(Object.keys(seen.attributes), [], "who publishes for whom is the token's word");
        t.not(seen.name, "the avatar");
      } finally {
        receiver.close();
        binding.close();
        await agent.disconnect();
        await visitor.disconnect();
        await avatar.disconnect();
      }
    });
  },
);
