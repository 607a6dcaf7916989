import { z } from "zod";
import { AGENT_NAME } from "../../shared/wire-names.ts";
import { flag, text, url } from "./values.ts";

const liveKitUrl = url(/^(wss?|https?)$/, "ws://, wss://, http:// or https://").optional();

export const liveKitSettings = z
  .object({
    LIVEKIT_URL: liveKitUrl,
    LIVEKIT_PUBLIC_URL: liveKitUrl,
    LIVEKIT_API_KEY: text.optional(),
    LIVEKIT_API_SECRET: text.optional(),
    AVATAR_LIVEKIT_OWN_ADDRESS: flag.default(false),
    AVATAR_DISPATCH_NAME: text.default(AGENT_NAME),
  })
  .transform((livekit) => ({
    url: livekit.LIVEKIT_URL,
    publicUrl: livekit.LIVEKIT_PUBLIC_URL,
    apiKey: livekit.LIVEKIT_API_KEY,
    apiSecret: livekit.LIVEKIT_API_SECRET,
    /** Of the embedded server. */
    hasOwnAddress: livekit.AVATAR_LIVEKIT_OWN_ADDRESS,
    dispatchName: livekit.AVATAR_DISPATCH_NAME,
  }));
