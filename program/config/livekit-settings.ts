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
    AVATAR_DISPATCH_NAME: text.default(AGENT_NAME),
  })
  .transform((livekit) => ({
    url: livekit.LIVEKIT_URL,
    publicUrl: livekit.LIVEKIT_PUBLIC_URL,
    apiKey: livekit.LIVEKIT_API_KEY,
    apiSecret: livekit.LIVEKIT_API_SECRET,
    dispatchName: livekit.AVATAR_DISPATCH_NAME,
  }));

/** Of the server that `npm start` brings along. */
export const embeddedLiveKitSettings = z
  .object({ AVATAR_LIVEKIT_OWN_ADDRESS: flag.default(false) })
  .transform(({ AVATAR_LIVEKIT_OWN_ADDRESS: hasOwnAddress }) => ({ hasOwnAddress }));
