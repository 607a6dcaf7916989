// A visitor of a LiveKit room, who waits for a face that speaks.
import { randomUUID } from "node:crypto";
import { AudioStream, type RemoteParticipant, type RemoteTrack, RoomEvent, TrackKind } from "@livekit/rtc-node";
import { ATTRIBUTE_PUBLISH_ON_BEHALF } from "../../../shared/wire-names.ts";
import { TestRoom } from "../../../test/helpers/rooms/test-room.ts";
import { waitFor } from "../../../test/helpers/wait-for.ts";
import { mintToken } from "../../bench/service/session-opener.ts";
import type { ExampleService } from "./example-check.ts";

/** Agents load their models first. */
const COMES_WITHIN_MS = 90_000;
/** Of a voice; an encoder's noise is below. */
const AUDIBLE = 500;

/** Joins a new room, or `roomName`, where the example's agent should come with a face, and waits until the face was
 *  shown and heard. Throws an Error that says what did not come. */
export async function seeFaceSpeak(service: ExampleService, roomName = `visit-${randomUUID()}`): Promise<void> {
  const room = new TestRoom();
  let [isShown, isHeard] = [false, false];
  const watch = async (track: RemoteTrack, participant: RemoteParticipant) => {
    if (!participant.attributes[ATTRIBUTE_PUBLISH_ON_BEHALF]) return;
    if (track.kind === TrackKind.KIND_VIDEO) isShown = true;
    else
      for await (const { data } of new AudioStream(track)) {
        isHeard ||= data.some((sample) => Math.abs(sample) > AUDIBLE);
        if (isHeard) return;
      }
  };
  room.on(RoomEvent.TrackSubscribed, (track, _, participant) => void watch(track, participant));
  try {
    await room.connect(service.livekit.url, await mintToken(service, roomName, "visitor"), {
      autoSubscribe: true,
      dynacast: false,
    });
    await waitFor(() => isShown, "the face's video comes", COMES_WITHIN_MS);
    await waitFor(() => isHeard, "the face speaks", COMES_WITHIN_MS);
  } finally {
    await room.disconnect();
  }
}
