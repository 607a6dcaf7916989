// One launch over REST, as its client sees it: without a retry.
import type { DrivenService } from "../../bench/service/own-service.ts";

/** What a launch needs of a service. */
export type LaunchTarget = Pick<DrivenService, "client" | "apiSecret" | "livekit" | "agentCode">;

export interface LaunchAnswer {
  /** 0 if no answer came. */
  status: number;
  /** Of the error table; empty for a success. */
  code: string;
  hasRetryAfter: boolean;
  sessionId: string | null;
}

const ANSWER_TIMEOUT_MS = 60_000;

/** Launches the service's demo agent into a room, with the avatar's join token. Never rejects. */
export async function launchInto(
  { client, apiSecret, livekit, agentCode }: LaunchTarget,
  room: string,
  token: string,
): Promise<LaunchAnswer> {
  try {
    const response = await fetch(`${client.baseUrl}/v1/runtime-tokens/request`, {
      method: "POST",
      headers: { "api-secret": apiSecret, "content-type": "application/json" },
      body: JSON.stringify({
        mode: "cpu",
        agent_id: agentCode,
        livekit_url: livekit.url,
        livekit_token: token,
        room_name: room,
      }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const body = (await response.json()) as { session_id?: string; error?: { code: string } };
    return {
      status: response.status,
      code: body.error?.code ?? "",
      hasRetryAfter: response.headers.has("retry-after"),
      sessionId: response.ok ? (body.session_id ?? null) : null,
    };
  } catch {
    return { status: 0, code: "no answer", hasRetryAfter: false, sessionId: null };
  }
}
