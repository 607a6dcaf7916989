// Listening in a real room: a user speaks into a microphone, and the face takes up its posture.
import { AudioFrame, AudioSource, LocalAudioTrack, TrackPublishOptions, TrackSource } from "@livekit/rtc-node";
import t from "tap";
import { OtherSpeakers } from "../../../room/participants/other-speakers.ts";
import { withRoomAvatar } from "../../helpers/rooms/with-room-avatar.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const RATE_HZ = 48_000;
const FRAME_SAMPLES = RATE_HZ / 100;

t.test("the start and the end of a user's speech are detected", async (t) => {
  await withRoomAvatar(async ({ avatarRoom, listener }) => {
    const changes: boolean[] = [];
    const others = new OtherSpeakers({ room: avatarRoom, onChange: (isSpeaking) => changes.push(isSpeaking) });
    others.start();
    const source = new AudioSource(RATE_HZ, 1);
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
    await listener.room.localParticipant!.publishTrack(LocalAudioTrack.createAudioTrack("microphone", source), options);
    const play = async (amplitude: number) => {
      const samples = Int16Array.from({ length: FRAME_SAMPLES }, () => amplitude * (2 * Math.random() - 1));
      await source.captureFrame(new AudioFrame(samples, RATE_HZ, 1, FRAME_SAMPLES));
    };
    for (let i = 0; i < 1500 && !changes.includes(true); i++) await play(12_000);
    t.same(changes, [true]);
    for (let i = 0; i < 1500 && changes.length < 2; i++) await play(0);
    await waitFor(() => changes.length === 2, "the end is noticed");
    t.same(changes, [true, false]);
    others.close();
    others.close();
    await source.close();
  });
});
