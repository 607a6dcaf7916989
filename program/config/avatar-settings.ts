import { z } from "zod";
import { FAMILIES, type ModelFamily } from "../../shared/models.ts";
import { flag, text, wholeNumber } from "./values.ts";

/** Families, separated by commas. */
const modelFamilies = z.string().transform((list, context): readonly ModelFamily[] => {
  const names = list.split(",").map((name) => name.trim());
  const families = FAMILIES.filter((family) => names.includes(family));
  if (families.length < names.length) context.addIssue(`must be families of ${FAMILIES.join(", ")}`);
  return families;
});

/** What the service makes of portraits, unrequested or not at all. */
export const avatarSettings = z
  .object({
    AVATAR_PAUSED_MODELS: modelFamilies.default([]),
    AVATAR_REBAKE: flag.default(true),
    AVATAR_IDENTITY_CLIPS: flag.default(true),
  })
  .transform((avatar) => ({
    pausedModels: avatar.AVATAR_PAUSED_MODELS,
    isRebaking: avatar.AVATAR_REBAKE,
    hasIdentityClips: avatar.AVATAR_IDENTITY_CLIPS,
  }));

/** How avatars are rendered and encoded. */
export const renderingSettings = z
  .object({
    AVATAR_EXECUTION_PROVIDER: z.enum(["auto", "cpu", "cuda"]).default("auto"),
    AVATAR_QUALITY_NETWORK: text.optional(),
    AVATAR_VIDEO_CODEC: z.enum(["h264", "vp8"]).default("h264"),
    AVATAR_VIDEO_BITRATE_KBPS: wholeNumber(100, 20_000).default(2000),
    AVATAR_MAX_FPS: z.enum(["25", "12.5"], "must be 25 or 12.5").default("25"),
    FFMPEG_PATH: text.optional(),
  })
  .transform((rendering) => ({
    provider: rendering.AVATAR_EXECUTION_PROVIDER,
    qualityNetworkPath: rendering.AVATAR_QUALITY_NETWORK,
    codec: rendering.AVATAR_VIDEO_CODEC,
    maxBitrateKbps: rendering.AVATAR_VIDEO_BITRATE_KBPS,
    /** Highest frame rate of avatars. */
    maxFps: rendering.AVATAR_MAX_FPS === "25" ? (25 as const) : (12.5 as const),
    ffmpegPath: rendering.FFMPEG_PATH,
  }));
