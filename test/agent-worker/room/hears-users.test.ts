// The face of an avatar in a caller's room while a user speaks into a microphone.
import { AudioFrame, AudioSource, LocalAudioTrack, TrackPublishOptions, TrackSource } from "@livekit/rtc-node";
import t from "tap";
import { FACE_PARAMETER_INDEX } from "../../../shared/face-parameters.ts";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { greyAvatar, withRoomAvatar } from "../../helpers/rooms/with-room-avatar.ts";
import { withPhrases } from "../../helpers/speech/spoken-phrases.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const FRAME_SAMPLES = SPEECH_SAMPLE_RATE_HZ / 50;
const QUEUE_MS = 100;
/** Idle brows and the listening posture stay below it; after a question they rise by 0.4 at least. */
const RAISED = 0.38;

t.setTimeout(180_000);

t.test("the brows rise after a user's question, and not while the avatar speaks", async (t) => {
  const question = await withPhrases((speak) =>
    speak(["Do you deliver on Sundays?"], { voiceId: "F1", language: "en" }),
  );
  const brows: number[] = [];
  const grey = greyAvatar();
  const avatar = {
    ...grey,
    render: (parameters: Float32Array) => {
      brows.push(parameters[FACE_PARAMETER_INDEX.brow]);
      return grey.render(parameters);
    },
  };
  await withRoomAvatar(
    async ({ listener, joinSender }) => {
      const source = new AudioSource(SPEECH_SAMPLE_RATE_HZ, 1, QUEUE_MS);
      const track = LocalAudioTrack.createAudioTrack("microphone", source);
      const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE, dtx: false });
      await listener.room.localParticipant!.publishTrack(track, options);
      const speak = async (samples: Int16Array): Promise<void> => {
        for (let at = 0; at + FRAME_SAMPLES <= samples.length; at += FRAME_SAMPLES) {
          const frame = samples.slice(at, at + FRAME_SAMPLES);
          await source.captureFrame(new AudioFrame(frame, SPEECH_SAMPLE_RATE_HZ, 1, FRAME_SAMPLES));
        }
      };
      const silence = new Int16Array(2 * SPEECH_SAMPLE_RATE_HZ);
      await speak(silence);
      t.ok(Math.max(...brows) < RAISED, "not before");
      await speak(question.samples);
      await speak(silence);
      await waitFor(() => Math.max(...brows) > RAISED, "the brows rise");

      // Longer than a reaction, and than the time between two.
      for (let i = 0; i < 2; i++) await speak(silence);
      const sender = await joinSender("agent");
      const tone = Int16Array.from({ length: 5 * SPEECH_SAMPLE_RATE_HZ }, (_, i) => 6_000 * Math.sin(i / 9));
      const saying = sender.say(tone);
      await waitFor(() => sender.reports.some(({ method }) => method === "started"), "the avatar speaks");
      brows.length = 0;
      await speak(question.samples);
      t.notOk(
        sender.reports.some(({ method }) => method === "finished"),
        "it speaks still",
      );
      t.ok(Math.max(...brows) < RAISED, `not while it speaks: ${Math.max(...brows)}`);
      await saying;
      await source.close();
    },
    { avatar, hearsUsers: true },
  );
});
