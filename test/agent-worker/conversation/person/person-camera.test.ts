// The person's camera in a real room, as single images.
import {
  type LocalVideoTrack,
  Room,
  TrackPublishOptions,
  TrackSource,
  VideoBufferType,
  VideoFrame,
  VideoRotation,
} from "@livekit/rtc-node";
import t from "tap";
import { encodeStill } from "../../../../agent-worker/conversation/person/encode-still.ts";
import { PersonCamera } from "../../../../agent-worker/conversation/person/person-camera.ts";
import { createLogger } from "../../../../program/log.ts";
import { withLiveKit } from "../../../helpers/livekit/with-livekit.ts";
import { BLUE, type Colour, ColourCamera, describeImage, RED } from "../../../helpers/rooms/colour-camera.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });
const NEVER = new AbortController().signal;

async function publish(room: Room, track: LocalVideoTrack, source = TrackSource.SOURCE_CAMERA) {
  const published = await room.localParticipant?.publishTrack(
    track,
    new TrackPublishOptions({ source, simulcast: false }),
  );
  if (!published?.sid) throw new Error("not published");
  return published.sid;
}

t.test("a frame becomes an upright image of at most 1,024 px", async (t) => {
  const frame = (widthPx: number, heightPx: number) =>
    new VideoFrame(new Uint8Array((widthPx * heightPx * 3) / 2).fill(200), widthPx, heightPx, VideoBufferType.I420);
  t.match(await describeImage(await encodeStill(frame(1920, 1080), VideoRotation.VIDEO_ROTATION_0)), "1024x576");
  t.match(await describeImage(await encodeStill(frame(1920, 1080), VideoRotation.VIDEO_ROTATION_90)), "576x1024");
  t.match(await describeImage(await encodeStill(frame(320, 240), VideoRotation.VIDEO_ROTATION_180)), "320x240");
  for (const [widthPx, heightPx] of [
    [8, 8],
    [2, 9_000],
  ] as const) {
    const wrong = frame(widthPx, heightPx);
    await t.rejects(encodeStill(wrong, VideoRotation.VIDEO_ROTATION_0), { code: "invalid-input" });
  }
});

t.test("the camera of a person in a room", async (t) => {
  await withLiveKit(async ({ url, mintToken }) => {
    const avatar = new Room();
    const person = new Room();
    const stranger = new Room();
    await avatar.connect(url, await mintToken("avatar"), { autoSubscribe: false, dynacast: false });
    const switched: boolean[] = [];
    const camera = new PersonCamera({ room: avatar, onSwitched: (isOn) => switched.push(isOn), logger });
    camera.start();
    const cameras: ColourCamera[] = [];
    const show = (colour: Colour, widthPx?: number, heightPx?: number) => {
      const made = new ColourCamera(colour, widthPx, heightPx);
      cameras.push(made);
      return made;
    };
    await stranger.connect(url, await mintToken("stranger"), { autoSubscribe: false, dynacast: false });
    await person.connect(url, await mintToken("person"), { autoSubscribe: false, dynacast: false });
    /** A first image may be late on a busy machine. */
    const shows = (image: RegExp) =>
      waitFor(async () => image.test((await describeImage(await camera.still(NEVER))) ?? ""), String(image));
    try {
      await waitFor(() => avatar.remoteParticipants.size === 2, "both are in the room");
      camera.follow("person");

      await t.test("there is no image without a camera, and none of a stranger's camera or of a screen", async (t) => {
        await publish(stranger, show(RED).track);
        await publish(person, show(BLUE).track, TrackSource.SOURCE_SCREENSHARE);
        const count = () => [...avatar.remoteParticipants.values()].flatMap((one) => [...one.trackPublications]).length;
        await waitFor(() => count() === 2, "they are announced");
        t.equal(await camera.still(NEVER), undefined);
        t.same(switched, []);
      });

      const large = show(RED, 1280, 720);
      const largeSid = await publish(person, large.track);
      await waitFor(() => camera.isOn, "the camera is seen");

      await t.test("an image shows what is in front of it now", async () => {
        // The sender chooses a size that fits its bandwidth.
        await shows(/^red \d+x\d+$/);
      });

      await t.test("of two cameras the first is watched, until it is switched off", async (t) => {
        await publish(person, show(BLUE).track);
        const sources = () => [...(avatar.remoteParticipants.get("person")?.trackPublications.values() ?? [])];
        await waitFor(() => sources().length === 3, "the second is announced");
        await shows(/^red/);
        await person.localParticipant?.unpublishTrack(largeSid);
        await waitFor(() => sources().length === 2, "the first is gone");
        await shows(/^blue/);
        t.same(switched, [true]);
      });

      await t.test("a camera that is switched off in the middle of a turn shows nothing any more", async (t) => {
        const publication = [...(person.localParticipant?.trackPublications.values() ?? [])].at(-1);
        if (!publication?.sid) throw new Error("no camera");
        await shows(/^blue/);
        await person.localParticipant?.unpublishTrack(publication.sid);
        await waitFor(() => !camera.isOn, "it is off");
        t.equal(await camera.still(NEVER), undefined);
        t.same(switched, [true, false]);
      });

      await t.test("a camera that cannot be watched is not waited for long", async (t) => {
        await publish(person, show(RED).track);
        await waitFor(() => camera.isOn, "it is on again");
        t.equal(await camera.still(AbortSignal.abort()), undefined, "by an answer that is not wanted any more");
        camera.close();
        const startMs = performance.now();
        camera.follow("person");
        t.equal(await camera.still(NEVER), undefined, "its frames do not arrive");
        t.ok(performance.now() - startMs < 5_000);
      });

      await t.test("when the person leaves, the camera is off", async (t) => {
        await person.disconnect();
        await waitFor(() => avatar.remoteParticipants.size === 1, "the person has left");
        camera.follow(undefined);
        t.equal(camera.isOn, false);
        t.equal(await camera.still(NEVER), undefined);
      });
    } finally {
      camera.close();
      for (const made of cameras) await made.close();
      for (const room of [person, stranger, avatar]) await room.disconnect();
    }
  });
});
