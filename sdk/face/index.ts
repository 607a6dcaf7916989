// `<avatar-face>`: a face for any audio in a page. Importing it defines the element.
import { AvatarFaceElement } from "./avatar-face-element.ts";

export { attachFace } from "./attach-face.ts";
export { FaceError, type FaceErrorCode } from "./face-error.ts";
export type { FaceSource } from "./face-source.ts";
export type { FaceState } from "./face-view.ts";
export type { LiveKitParticipant, LiveKitPublication, LiveKitRoom, LiveKitTrack } from "./livekit-shapes.ts";
export { AvatarFaceElement };

// Servers render pages without a DOM; a page may load the script twice.
if (globalThis.customElements && !customElements.get("avatar-face"))
  customElements.define("avatar-face", AvatarFaceElement);
