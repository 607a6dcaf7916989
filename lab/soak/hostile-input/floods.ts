// The floods by name.
import type { Flood } from "./flood.ts";
import { floodChat } from "./floods/chat-flood.ts";
import { floodDownloads } from "./floods/download-flood.ts";
import { floodNames } from "./floods/name-flood.ts";
import { floodOffers } from "./floods/offer-flood.ts";
import { floodProvider } from "./floods/provider-flood.ts";
import { floodAnswers, floodEvents, floodItems } from "./floods/realtime-floods.ts";

export const FLOODS = {
  "realtime items": floodItems,
  "realtime answers": floodAnswers,
  "realtime events": floodEvents,
  "provider messages": floodProvider,
  "chat streams": floodChat,
  "unconnected offers": floodOffers,
  "slow downloads": floodDownloads,
  "silent name servers": floodNames,
} as const satisfies Readonly<Record<string, Flood>>;

export type FloodName = keyof typeof FLOODS;

export const FLOOD_NAMES = Object.keys(FLOODS) as FloodName[];
