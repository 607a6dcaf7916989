// A service that already runs, given by its address.
import { ServiceClient } from "../../../cli/service/service-client.ts";
import { DEMO_AGENT_CODE } from "../../../cli/start/service/demo-agent.ts";
import type { DrivenService } from "./own-service.ts";

/** Settings that say how to reach a service: the operator's secret and the service's LiveKit server. */
const NEEDED = ["AVATAR_OPERATOR_SECRET", "LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"] as const;

/** The service at a base URL. Throws Error naming the settings that the environment lacks. */
export function givenService(url: string, environment: Readonly<Record<string, string | undefined>>): DrivenService {
  const missing = NEEDED.filter((key) => !environment[key]);
  if (missing.length > 0)
    throw new Error(`To measure the service at ${url}, set ${missing.join(", ")} as it has them.`);
  const [apiSecret, livekitUrl, livekitKey, livekitSecret] = NEEDED.map((key) => environment[key] ?? "");
  return {
    client: new ServiceClient({ baseUrl: url.replace(/\/+$/, ""), apiSecret }),
    apiSecret,
    livekit: { url: livekitUrl, apiKey: livekitKey, apiSecret: livekitSecret },
    agentCode: DEMO_AGENT_CODE,
    dataDir: null,
    close: async () => {},
  };
}
