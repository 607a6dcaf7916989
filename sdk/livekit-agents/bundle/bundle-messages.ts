// What an agent and the process of its avatar tell each other.
import type { FaceOptions } from "../face-options.ts";

/** Path or address of an avatar file, or its bytes. */
export type BundleSource = string | Uint8Array;

/** How the face moves. */
export interface BundleMotion extends FaceOptions {
  /** Integer. The same seed and audio give the same movements. Default: another one each time. */
  seed?: number;
  /** Size of the mouth's movements: 0 is calm, 0.5 a person in conversation, 1 lively. Default 0.5. */
  expressiveness?: number;
}

export interface JoinRequest extends BundleMotion {
  bundle: BundleSource;
  livekitUrl: string;
  /** Join token of the avatar. */
  livekitToken: string;
}

export type MessageToBundle = { type: "join"; request: JoinRequest } | { type: "leave" };

export type MessageFromBundle =
  /** Its tracks are published, and it accepts audio. */
  | { type: "joined" }
  /** It has not joined. */
  | { type: "failed"; message: string }
  | { type: "log"; level: "debug" | "warn"; fields: object; message: string };
