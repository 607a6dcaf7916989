import { z } from "zod";

/** What `avatar room` prints with --json. */
export const roomShape = z.strictObject({
  livekit_url: z.string(),
  room_name: z.string(),
  avatar_token: z.string(),
  user_token: z.string(),
});
