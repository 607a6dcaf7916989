// Calls of the embed page: start the session of its embed token, and type a text for the avatar to answer or to say.
import { TrackSource } from "@livekit/protocol";
import { z } from "zod";
import { addressKey } from "../../program/http/address-key.ts";
import { ServiceError } from "../../shared/errors.ts";
import { type ModelFamily, resolveModel } from "../../shared/models.ts";
import { typingModeSchema } from "../../shared/runtime-api.ts";
import { AGENT_INITIALIZING, AGENT_NAME, ATTRIBUTE_AGENT_STATE } from "../../shared/wire-names.ts";
import type { EmbedCaller } from "../accounts/caller.ts";
import { rateOf } from "../accounts/credits/price-list.ts";
import { requireOwnAgent } from "../agents/agent-access.ts";
import { whenCast } from "../agents/creation/when-cast.ts";
import { readGreetingChoice } from "../agents/greeting.ts";
import { assertGenerated } from "../agents/models/model-availability.ts";
import { type Agent, supportedModels } from "../agents/record/agent.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { createLinkSigner } from "../kernel/tokens/link-signer.ts";
import { chooseAwaitedModel } from "../sessions/launch/launch-model.ts";
import type { Launcher } from "../sessions/launch/launcher.ts";
import { deliverToRooms } from "../sessions/messages/deliver-to-rooms.ts";
import { publicVisitorOf } from "../sessions/record/public-visits.ts";
import type { SessionServices } from "../sessions/session-services.ts";
import { bundleSchema, describeBundle } from "./bundle-routes.ts";
import { MAX_DEMO_SESSIONS } from "./demo-routes.ts";
import { type EmbedVisitor, visitorFields, visitorOf } from "./embed-visitor.ts";
import { bundleFor, isLocalAllowed, RENDER_CHOICES, RENDERERS } from "./local-rendering.ts";
import { shortDigest } from "./short-digest.ts";
import { limitVisitor } from "./visitor-limits.ts";

const MAX_SAY_CHARACTERS = 500;
const VISITOR_TOKEN_SECONDS = 3600;
const DAY_MS = 86_400_000;
/** Outlasts the longest session, in which the avatar may have to join again. */
const AVATAR_TOKEN_SECONDS = 25 * 3600;
const TAGS = ["Embed"];
/** The page's parameter `model`: it names a family or a force tier. */
const model = z.string().max(60).nullish();

/** The two JSON routes of the page. Open to pages of any origin: the token is the credential, and no cookie exists. */
export function embedRoutes(services: SessionServices, launcher: Launcher): Route[] {
  const { database, livekit, limiter, config, offeredModels, signingKey, now } = services;
  const roomKeys = createLinkSigner(signingKey, "visitor-rooms");

  return [
    route({
      method: "post",
      path: "/embed/session",
      operation: "embed.startSession",
      tier: "address",
      auth: "embed",
      summary: "Start the avatar session of an embed token, or return the running one",
      tags: TAGS,
      internal: true,
      cors: true,
      body: z.object({
        model,
        /** Who the page wants to render; an unknown value is the stream. */
        render: z.enum(RENDER_CHOICES).catch("stream"),
        /** What a new session says first: the agent's `own` greeting, that of a language (`de`), or `none`, because the
         *  page has words of its own. An unknown value is `own`. */
        greeting: z.string().max(35).nullish().catch(null),
        ...visitorFields,
      }),
      response: z.object({
        livekit_url: z.string(),
        room_name: z.string(),
        /** Says with a later token that the page is in this room. */
        room_key: z.string(),
        token: z.string(),
        agent: z.object({ name: z.string() }),
        disclosure: z.boolean(),
        transcript_days: z.int(),
        remembers: z.boolean(),
        /** Who renders. Where the page may not render, or the session was begun without that, the stream does. */
        renderer: z.enum(RENDERERS),
        /** The file for a page that renders; null where it may not, or while the file is being made. */
        bundle: bundleSchema.nullable(),
      }),
      errors: [
        "NOT_FOUND",
        "FORBIDDEN",
        "MODEL_NOT_GENERATED",
        "AGENT_NOT_READY",
        "INSUFFICIENT_BALANCE",
        "PAYWALL",
        "CONCURRENCY_LIMIT_REACHED",
        "SERVICE_UNAVAILABLE",
        "MODEL_NOT_YET_AVAILABLE",
      ],
      async handler({ caller, body, request }) {
        const visitor = visitorOf(caller, body);
        await limitVisitor(limiter, "session", { caller, visitor, ip: request.ip });
        const agent = await whenCast(database, await requireOwnAgent(database, caller.account, caller.agentCode));
        const pageModel = pageModelOf(caller, agent, body.model, offeredModels);
        const roomName = roomOf(visitor, agent, pageModel);
        const chosen = chooseAwaitedModel(agent, caller.model ?? pageModel, offeredModels);
        const file = isLocalAllowed(agent, visitor.isProven) ? bundleFor(agent, chosen) : null;
        const avatarToken = await livekit.mintJoinToken({
          identity: AGENT_NAME,
          roomName,
          kind: "agent",
          ttlSeconds: AVATAR_TOKEN_SECONDS,
          attributes: { [ATTRIBUTE_AGENT_STATE]: AGENT_INITIALIZING },
          grant: { canPublish: true, canSubscribe: true, canPublishData: true, canUpdateOwnMetadata: true },
        });
        const { remembersVisitor, viewersMayRender } = await launcher.launch({
          span: request.span,
          account: caller.account,
          secretId: caller.secretId,
          isConsole: caller.isConsole,
          agentCode: agent.code,
          model: caller.model ?? pageModel,
          mode: "gpu",
          hasConversation: true,
          isHosted: true,
          // Visitors who name themselves could name another one to hear what that one has said.
          remembersVisitor: config.retention.remembersVisitors && visitor.isProven,
          endUserId: visitor.endUserId,
          viewersMayRender: file !== null,
          viewersRender: file !== null && body.render !== "stream",
          greeting: readGreetingChoice(body.greeting),
          livekitUrl: livekit.url,
          livekitToken: avatarToken,
          roomName,
          avatarIdentity: AGENT_NAME,
          launchTokenId: null,
          readImage: null,
          ...(caller.isDemo && { maxRunningOfAgent: MAX_DEMO_SESSIONS }),
          ...(caller.isPublic && {
            visit: publicVisitorOf(signingKey, {
              agentCode: agent.code,
              visitor: visitor.limitKey,
              address: addressKey(request.ip),
              now: new Date(now()),
            }),
          }),
        });
        const bundle = viewersMayRender ? file : null;
        // Data is for typing in `lk.chat`. A visitor's byte streams drive no avatar: it takes audio from an agent, or
        // from the sender that its own token names, and this room has neither.
        const token = await livekit.mintJoinToken({
          identity: `visitor-${shortDigest(`visitor ${visitor.seat}`)}`,
          roomName,
          ttlSeconds: VISITOR_TOKEN_SECONDS,
          grant: {
            canSubscribe: true,
            canPublish: true,
            canPublishSources: [TrackSource.MICROPHONE, TrackSource.CAMERA],
            canPublishData: true,
            canUpdateOwnMetadata: false,
          },
        });
        return {
          livekit_url: livekit.publicUrl,
          room_name: roomName,
          room_key: roomKeys.sign(agent.userId, agent.code, roomName),
          token,
          agent: { name: agent.name },
          disclosure: config.pages.hasDisclosure,
          transcript_days: config.retention.transcriptMs / DAY_MS,
          remembers: remembersVisitor,
          // The session may run already: since before the owner allowed it, or before the file was made.
          renderer: bundle !== null && body.render !== "stream" ? ("local" as const) : ("stream" as const),
          bundle: bundle && describeBundle(bundle, config.http.publicUrl),
        };
      },
    }),
    route({
      method: "post",
      path: "/embed/say",
      operation: "embed.say",
      tier: "address",
      auth: "embed",
      summary: "Ask the avatar of an embed token something, or let it say a text",
      tags: TAGS,
      internal: true,
      cors: true,
      body: z.object({
        text: z.string().trim().min(1).max(MAX_SAY_CHARACTERS),
        mode: typingModeSchema.default("ask"),
        model,
        ...visitorFields,
        room_name: z.string().max(256).nullish(),
        room_key: z.string().max(100).nullish(),
      }),
      response: z.object({ ok: z.literal(true) }),
      errors: ["NOT_FOUND"],
      async handler({ body, caller, request }) {
        const visitor = visitorOf(caller, body);
        await limitVisitor(limiter, "say", { caller, visitor, ip: request.ip });
        const agent = await requireOwnAgent(database, caller.account, caller.agentCode);
        const { room_name: named, room_key: key } = body;
        const isInRoom = named && key && roomKeys.isSigned(key, agent.userId, agent.code, named);
        const roomName = isInRoom
          ? named
          : roomOf(visitor, agent, pageModelOf(caller, agent, body.model, offeredModels));
        await deliverToRooms(services, agent, { kind: "type_text", text: body.text, mode: body.mode, roomName });
        return { ok: true as const };
      },
    }),
  ];
}

/** The model that the page's address names, or null if there is no such model or the token names one itself. Throws
 *  MODEL_NOT_GENERATED if the agent lacks it, and FORBIDDEN if it costs more than the agent's own: a visitor can change
 *  the address. */
function pageModelOf(
  caller: EmbedCaller,
  agent: Agent,
  name: string | null | undefined,
  offered: readonly ModelFamily[],
): string | null {
  const named = name && caller.model === null ? resolveModel(name) : null;
  const supported = supportedModels(agent, offered);
  if (named === null || !(offered.includes(named.family) || supported.includes(named.family))) return null;
  assertGenerated(agent.code, named.family, supported, offered);
  const rate = (family: ModelFamily) => rateOf({ family, isSelfHosted: false });
  if (rate(named.family) <= rate(agent.model)) return named.name;
  throw new ServiceError(
    "FORBIDDEN",
    `${named.name} costs more than the agent's own model ${agent.model}. Mint an embed token with model ${named.name}.`,
  );
}

/** One room per visitor, so that a page that is loaded again finds its avatar; another one for each model that the page
 *  names. */
function roomOf({ seat }: EmbedVisitor, { code }: Agent, pageModel: string | null): string {
  return `room-${code}-${shortDigest(pageModel === null ? seat : `${seat} ${pageModel}`)}`;
}
