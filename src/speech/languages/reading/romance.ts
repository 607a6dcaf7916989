// What Spanish, Italian and Portuguese share.
import type { Gender } from "./speech-language.ts";

/** An ordinal in its gender: every word of it ends in -o or -a. */
export function withGender(ordinal: string, gender: Gender): string {
  return gender === "m" ? ordinal : ordinal.replace(/o(?= |$)/g, "a");
}
