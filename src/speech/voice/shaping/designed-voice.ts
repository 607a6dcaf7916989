// A designed voice: a voice of the catalogue and a position on each axis. Its code contains both, so it means the same
// in every installation and needs no storage.
import { createHash } from "node:crypto";
import { VOICE_IDS, type VoiceId } from "../voice-catalogue.ts";
import { AXIS_NAMES, MAX_AXIS, type VoiceAxes } from "./voice-axes.ts";

/** Version 1 of the form below. Source of the prefix: the contract. */
const PREFIX = "bv1_";
/** In a code, axes are whole numbers of this. */
const AXIS_STEP = 0.001;
const AXES_BYTES = 2 * AXIS_NAMES.length;
const CHECK_BYTES = 4;

export interface DesignedVoice {
  baseVoiceId: VoiceId;
  axes: VoiceAxes;
}

/** The code of a designed voice, 22 characters: the number of its base voice, its axes (int16, big-endian), and the
 *  beginning of their SHA-256, in base64url. Axes are rounded to 0.001. */
export function designedVoiceCode({ baseVoiceId, axes }: DesignedVoice): string {
  const content = Buffer.alloc(1 + AXES_BYTES);
  content.writeUInt8(VOICE_IDS.indexOf(baseVoiceId));
  for (const [index, name] of AXIS_NAMES.entries()) {
    content.writeInt16BE(Math.round(axes[name] / AXIS_STEP), 1 + 2 * index);
  }
  return PREFIX + Buffer.concat([content, checkOf(content)]).toString("base64url");
}

/** Whether a text is meant to be the code of a designed voice. */
export function isDesignedVoiceCode(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** The designed voice of a code; null for any other text. Never throws. */
export function parseDesignedVoice(code: string): DesignedVoice | null {
  if (!isDesignedVoiceCode(code)) return null;
  const bytes = Buffer.from(code.slice(PREFIX.length), "base64url");
  const content = bytes.subarray(0, 1 + AXES_BYTES);
  if (bytes.length !== 1 + AXES_BYTES + CHECK_BYTES || !checkOf(content).equals(bytes.subarray(1 + AXES_BYTES))) {
    return null;
  }
  const baseVoiceId = VOICE_IDS[content.readUInt8()];
  const values = AXIS_NAMES.map((_, index) => content.readInt16BE(1 + 2 * index) * AXIS_STEP);
  if (baseVoiceId === undefined || values.some((value) => Math.abs(value) > MAX_AXIS)) return null;
  const [gender, pitch, rate, brightness] = values;
  const designed = { baseVoiceId, axes: { gender, pitch, rate, brightness } };
  // Base64 has several forms of the same bytes; one voice has one code.
  return designedVoiceCode(designed) === code ? designed : null;
}

function checkOf(content: Uint8Array): Buffer {
  return createHash("sha256").update(PREFIX).update(content).digest().subarray(0, CHECK_BYTES);
}
