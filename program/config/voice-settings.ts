import { z } from "zod";
import { headerKey, httpUrl, SECOND_MS, text, wholeNumber } from "./values.ts";

/** `M1=name,F1=other`. */
const voiceNames = z.string().transform((list, context): Readonly<Record<string, string>> => {
  const pairs = list.split(",").map((pair) => pair.split("=").map((part) => part.trim()));
  const isValid = pairs.every((pair) => pair.length === 2 && /^[MF][1-5]$/.test(pair[0]) && pair[1] !== "");
  if (!isValid) context.addIssue("must be pairs like M1=name, separated by commas, for M1 to M5 and F1 to F5");
  return Object.fromEntries(pairs);
});

export const voiceSettings = z
  .object({
    AVATAR_VOICE: z.enum(["neural", "formant", "remote"]).default("neural"),
    AVATAR_VOICE_URL: httpUrl.optional(),
    AVATAR_VOICE_KEY: headerKey,
    AVATAR_VOICE_MODEL: text.default("tts-1"),
    AVATAR_VOICE_NAMES: voiceNames.default({}),
    AVATAR_VOICE_TIMEOUT_SECONDS: wholeNumber(1, 300).default(10),
  })
  .transform(({ AVATAR_VOICE: engine, AVATAR_VOICE_URL: baseUrl, ...voice }, context) => {
    if (engine !== "remote") return { engine, remote: undefined };
    if (baseUrl === undefined) {
      context.addIssue({ code: "custom", path: ["AVATAR_VOICE_URL"], message: "required by AVATAR_VOICE=remote" });
      return z.NEVER;
    }
    const remote = {
      baseUrl,
      apiKey: voice.AVATAR_VOICE_KEY,
      model: voice.AVATAR_VOICE_MODEL,
      names: voice.AVATAR_VOICE_NAMES,
      timeoutMs: voice.AVATAR_VOICE_TIMEOUT_SECONDS * SECOND_MS,
    };
    return { engine, remote };
  });
