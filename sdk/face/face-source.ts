// What a face can follow.
import type { LiveKitPublication, LiveKitRoom, LiveKitTrack } from "./livekit-shapes.ts";
import { ElementVoice, StreamVoice, type Voice } from "./voice.ts";

/** A voice: a stream, a track of it, an `<audio>` or `<video>` element; a track of livekit-client, or a track reference
 *  of its React components. Or a room of livekit-client. */
export type FaceSource =
  | MediaStream
  | MediaStreamTrack
  | HTMLMediaElement
  | LiveKitTrack
  | { readonly publication: LiveKitPublication }
  | LiveKitRoom;

export function isRoom(source: FaceSource): source is LiveKitRoom {
  return "remoteParticipants" in source;
}

/** Undefined for a track reference without a track yet. Throws TypeError for anything else. */
export function voiceOf(source: Exclude<FaceSource, LiveKitRoom>): Voice | undefined {
  if (source instanceof MediaStream) return new StreamVoice(source);
  if (source instanceof MediaStreamTrack) return new StreamVoice(new MediaStream([source]));
  if (source instanceof HTMLMediaElement) return new ElementVoice(source);
  if (source && "mediaStreamTrack" in source)
    return new StreamVoice(new MediaStream([source.mediaStreamTrack]), source);
  if (source && "publication" in source) return source.publication.track && voiceOf(source.publication.track);
  throw new TypeError(
    "a face follows a MediaStream, a MediaStreamTrack, a media element, or a track or room of livekit-client",
  );
}
