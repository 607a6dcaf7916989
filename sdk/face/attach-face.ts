import type { AvatarFaceElement } from "./avatar-face-element.ts";
import type { FaceSource } from "./face-source.ts";

/** Lets a face say what a voice says: a `MediaStream` or a track of it (a call, a microphone), an `<audio>` element, a
 *  track of livekit-client. In a room of livekit-client it shows the avatar's video or, without one, says what the
 *  agent says. Returns what ends it, which does nothing once the face follows something else. Throws TypeError for
 *  anything else. */
export function attachFace(face: AvatarFaceElement, source: FaceSource): () => void {
  face.source = source;
  return () => {
    if (face.source === source) face.source = null;
  };
}
