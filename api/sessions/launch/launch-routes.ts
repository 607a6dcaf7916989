// Routes that start an avatar in a room. One of them shares its path with the exchange of the secret for a runtime
// token.
import { z } from "zod";
import type { ErrorCode } from "../../../shared/errors.ts";
import type { LaunchTokenCaller, SecretCaller } from "../../accounts/caller.ts";
import { planNoticeSchema, withPlanNotice } from "../../accounts/plans/plan-notice.ts";
import type { Answer } from "../../kernel/http/answer.ts";
import { type RequestInfo, type Route, route } from "../../kernel/http/route.ts";
import type { SessionServices } from "../session-services.ts";
import { exchangeLaunchToken, exchangeSchema, exchangeToken } from "../tokens/exchange-token.ts";
import { imageOf, type LaunchFields, launchFields, readLaunch } from "./launch-fields.ts";
import { createLaunchLimit } from "./launch-limit.ts";
import type { Launcher } from "./launcher.ts";

/** An image of 10 MB in base64, and the other fields. */
const LAUNCH_BODY_LIMIT_BYTES = 14 * 1024 * 1024;
const LAUNCH_BODY_TYPES = ["json", "form", "multipart"] as const;
/** Error codes of a launch, on either path. */
const LAUNCH_ERRORS: readonly ErrorCode[] = [
  "INSUFFICIENT_BALANCE",
  "ACCOUNT_SUSPENDED",
  "CONCURRENCY_LIMIT_REACHED",
  "FORBIDDEN",
  "NOT_FOUND",
  "MODEL_NOT_OFFERED",
  "MODEL_NOT_GENERATED",
  "DOWNLOAD_FAILED",
  "MODEL_SUBJECT_MISMATCH",
  "IMAGE_FACE_UNSUITABLE",
  "CONFLICT",
  "SERVICE_UNAVAILABLE",
  "MODEL_NOT_YET_AVAILABLE",
];

const launchSchema = z.object({
  avatar_session_started: z.literal(true),
  session_id: z.string(),
  model: z.string(),
  mode: z.string(),
  agent_id: z.string().optional(),
  image: z.string().optional(),
  user_id: z.string(),
  status: z.enum(["starting", "live", "ended"]),
  plan_notice: planNoticeSchema,
});

export function launchRoutes(services: SessionServices, launcher: Launcher): Route[] {
  const beforeBody = createLaunchLimit(services.limiter);
  /** Options that both paths share. */
  const launchRoute = {
    method: "post",
    tier: "none",
    auth: "launch",
    tags: ["Tokens"],
    body: launchFields,
    example: {
      body: {
        mode: "cpu",
        agent_id: "AGENT_CODE",
        model: "essence-2",
        livekit_url: "LIVEKIT_URL",
        livekit_token: "LIVEKIT_TOKEN",
        room_name: "lobby",
      },
    },
    bodyTypes: LAUNCH_BODY_TYPES,
    bodyLimitBytes: LAUNCH_BODY_LIMIT_BYTES,
    fileOrTextFields: ["image", "avatar_image"],
    errors: LAUNCH_ERRORS,
    beforeBody,
  } as const;

  async function launch(
    caller: SecretCaller | LaunchTokenCaller,
    fields: LaunchFields,
    { signal, span }: Pick<RequestInfo, "signal" | "span">,
  ): Promise<Answer<z.input<typeof launchSchema>>> {
    const launched = await readLaunch(services, caller, fields, signal);
    const session = await launcher.launch({ ...launched, span });
    const image = imageOf(fields);
    return withPlanNotice(caller.account, services.now(), {
      avatar_session_started: true as const,
      session_id: session.id,
      model: session.model,
      mode: session.mode,
      ...(session.agentCode !== null && { agent_id: session.agentCode }),
      ...(typeof image === "string" && { image }),
      user_id: session.userId,
      status: session.status,
    });
  }

  return [
    route({
      ...launchRoute,
      path: "/v1/runtime-tokens/request",
      operation: "runtimeTokens.request",
      summary: "Exchange the secret for a runtime token, or (with mode or livekit_token) start an avatar in a room",
      response: z.union([exchangeSchema, launchSchema]),
      async handler({ body, caller, request }) {
        if (body.mode || body.livekit_token) return launch(caller, body, request);
        if (caller.kind === "secret") return exchangeToken(services, caller, body);
        return exchangeLaunchToken(services, caller, body);
      },
    }),
    route({
      ...launchRoute,
      path: "/launch",
      operation: "sessions.launch",
      summary: "Start an avatar in a room",
      response: launchSchema,
      handler: ({ body, caller, request }) => launch(caller, body, request),
    }),
  ];
}
