// What a plan of use would cost, by the prices of the installation.
import type { Pricing } from "../../../../sdk/client/index.ts";

export const CONVERSATIONS = ["none", "chat", "camera"] as const;

export interface PlannedUse {
  /** Of sessions and films. */
  model: string;
  sessionMinutes: number;
  isInBrowser: boolean;
  conversation: (typeof CONVERSATIONS)[number];
  filmMinutes: number;
  agents: number;
  /** Agents with gestures. */
  gestures: number;
  callMinutes: number;
}

/** Credits for all of it, in whole ones: sessions and calls round down, as the service carries the rest over. */
export function estimateCost(use: PlannedUse, prices: Pricing): number {
  const { hosted, self_hosted: selfHosted } = prices.realtime;
  const video = (use.isInBrowser ? selfHosted : hosted).by_model[use.model]?.rate ?? 0;
  const lines = { none: 0, chat: hosted.chat_line.rate, camera: hosted.camera_chat_line.rate };
  return (
    Math.floor(use.sessionMinutes * video) +
    Math.floor(use.sessionMinutes * lines[use.conversation]) +
    Math.ceil(use.filmMinutes) * (prices.talking_video.rates[use.model] ?? 0) +
    use.agents * (prices.agent_generation.by_model[use.model] ?? 0) +
    use.gestures * prices.dynamics_generation.flat +
    Math.floor(use.callMinutes * hosted.relay_line.rate)
  );
}
