// Services of the sample avatars. Built once, in `create-api.ts`.
import type { AgentServices } from "../agents/agent-services.ts";

/** Recordings of fixed texts, by voice. */
export interface Clips {
  idOf(clip: { voiceId: string; text: string }): string;
  /** A WAV file. */
  get(clip: { voiceId: string; text: string }): Promise<Uint8Array>;
}

export interface SampleServices extends AgentServices {
  clips: Clips;
}
