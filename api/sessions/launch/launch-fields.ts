// The fields of a launch: every alias that clients send, checked and normalised.
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { MAX_PORTRAIT_BYTES, parsePortraitInput } from "../../../program/http/portrait-input.ts";
import { UploadedFile, uploadedFileSchema } from "../../../program/http/uploaded-file.ts";
import { assertReachable, checkJoinToken, normaliseLiveKitUrl } from "../../../program/outgoing/livekit-url.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import type { LaunchTokenCaller, SecretCaller } from "../../accounts/caller.ts";
import { rateOf } from "../../accounts/credits/price-list.ts";
import { requireOwnAgent } from "../../agents/agent-access.ts";
import { emotionField, mannerField } from "../../agents/emotion-field.ts";
import { requireModel } from "../../agents/models/model-availability.ts";
import type { TaskCaller } from "../../agents/portraits/portrait-process.ts";
import type { SessionServices } from "../session-services.ts";
import { exchangeFields } from "../tokens/exchange-token.ts";
import type { Launch } from "./launch.ts";

/** Time to fetch a photo session's image; the caller waits meanwhile. */
const IMAGE_TIMEOUT_MS = 5_000;
/** Longest wait for a turn at the image inspector, which all accounts share. */
const INSPECT_TURN_TIMEOUT_MS = 10_000;

const text = (maxLength: number) => z.string().max(maxLength).nullish();

/** A body with `mode` or `livekit_token` is a launch. Every field is optional here, because the same path also
 *  exchanges tokens; `readLaunch` reports what a launch lacks. Aliases: `agent_code`, `avatar_id`; `avatar_image`,
 *  `avatar_image_url`. */
export const launchFields = z.object({
  mode: text(20).meta({ description: "gpu or cpu. If present, the request starts an avatar." }),
  model: text(60),
  agent_id: text(100),
  agent_code: text(100),
  avatar_id: text(100),
  image: z.union([z.string(), uploadedFileSchema]).nullish(),
  avatar_image: z.union([z.string(), uploadedFileSchema]).nullish(),
  avatar_image_url: text(2048),
  livekit_url: text(2048),
  livekit_token: text(16_384),
  room_name: text(256),
  emotion: emotionField.nullish().meta({
    description:
      "What the face shows by default: an expression, or one with an intensity, such as happy:0.6. Default: the agent's",
  }),
  manner: mannerField.nullish().meta({
    description: "How lively the face is by itself: still, natural or animated. Default: the agent's",
  }),
  listen: z
    .union([z.boolean(), z.string().regex(/^(true|false)$/, "must be true or false")], "must be true or false")
    .nullish()
    .meta({
      description:
        "false: the face does not react to what users say. Otherwise the avatar reads the loudest user's microphone, if its token grants canSubscribe; the audio is neither stored nor sent. Default: true",
    }),
  ...exchangeFields,
});
export type LaunchFields = z.infer<typeof launchFields>;

/** The image of a launch: a URL, text, or a file; null without one. */
export function imageOf(fields: LaunchFields): string | UploadedFile | null {
  return fields.image || fields.avatar_image || fields.avatar_image_url || null;
}

/** Checks a launch's fields against each other, the LiveKit URL and token, and a launch token's scope. The image is
 *  not fetched yet. `signal`: fires if the caller goes away, which ends the wait for the image. Throws
 *  VALIDATION_ERROR, or FORBIDDEN outside the token's scope. */
export async function readLaunch(
  services: SessionServices,
  caller: SecretCaller | LaunchTokenCaller,
  fields: LaunchFields,
  signal: AbortSignal,
): Promise<Launch> {
  const { livekitGuard, livekit } = services;
  const mode = fields.mode || "gpu";
  if (mode !== "gpu" && mode !== "cpu") throw new ServiceError("VALIDATION_ERROR", "mode must be gpu or cpu");
  const namedUrl = normaliseLiveKitUrl(required(fields, "livekit_url"), livekitGuard);
  const livekitToken = required(fields, "livekit_token");
  const roomName = required(fields, "room_name");
  const namedAgent = fields.agent_id || fields.agent_code || fields.avatar_id || null;
  const image = imageOf(fields);
  const agentCode = namedAgent ?? (caller.kind === "launch-token" ? caller.agentCode : null);
  if (agentCode === null && image === null) throw new ServiceError("VALIDATION_ERROR", "agent_id or image is required");
  if (agentCode === null && mode === "cpu")
    throw new ServiceError("VALIDATION_ERROR", "agent_id is required in mode cpu");
  if (caller.kind === "launch-token") {
    assertInScope(caller, { agentCode, roomName, livekitUrl: namedUrl });
    if (image !== null)
      throw new ServiceError("FORBIDDEN", "A launch token cannot be combined with image. Remove image.");
    await assertModelInScope(services, caller, fields.model || null);
  }
  const isOwnServer = namedUrl === livekit.publicUrl || namedUrl === livekit.url;
  // Workers may not reach the public address, and a session is the same under both.
  const livekitUrl = isOwnServer ? livekit.url : namedUrl;
  const avatarIdentity = await checkJoinToken({
    token: livekitToken,
    roomName,
    nowMs: services.now(),
    ownServer: isOwnServer ? livekit : null,
  });
  if (!isOwnServer) await assertReachable(livekitUrl, livekitGuard, caller.account.userId);
  return {
    account: caller.account,
    secretId: caller.secretId,
    isConsole: caller.kind === "secret" && caller.isConsole,
    agentCode,
    model: fields.model || (caller.kind === "launch-token" ? caller.model : null),
    mode,
    hasConversation: false,
    isHosted: false,
    remembersVisitor: false,
    viewersMayRender: false,
    viewersRender: false,
    listens: fields.listen !== false && fields.listen !== "false",
    endUserId: fields.user_id || null,
    emotion: fields.emotion ?? null,
    manner: fields.manner ?? null,
    livekitUrl,
    livekitToken,
    roomName,
    avatarIdentity,
    launchTokenId: caller.kind === "launch-token" ? caller.tokenId : null,
    readImage:
      image === null
        ? null
        : () =>
            readImage(services, image, {
              userId: caller.account.userId,
              signal,
              timeoutMs: INSPECT_TURN_TIMEOUT_MS,
            }),
  };
}

function required(fields: LaunchFields, name: "livekit_url" | "livekit_token" | "room_name"): string {
  const value = fields[name];
  if (!value) throw new ServiceError("VALIDATION_ERROR", `${name} is required to start an avatar session`);
  return value;
}

function assertInScope(
  token: LaunchTokenCaller,
  launch: { agentCode: string | null; roomName: string; livekitUrl: string },
): void {
  const isInScope =
    launch.agentCode === token.agentCode &&
    launch.roomName === token.roomName &&
    launch.livekitUrl === token.livekitUrl;
  if (isInScope) return;
  throw new ServiceError("FORBIDDEN", "This token was minted for another agent, room or LiveKit server");
}

/** Throws FORBIDDEN if the token was minted for another model, or if it was minted without a model and this one costs
 *  more than the agent's own. */
export async function assertModelInScope(
  { database, offeredModels }: Pick<SessionServices, "database" | "offeredModels">,
  token: Pick<LaunchTokenCaller, "account" | "agentCode" | "model">,
  name: string | null,
): Promise<void> {
  if (name === null) return;
  const chosen = requireModel(name, offeredModels);
  if (token.model !== null) {
    if (chosen.name === token.model) return;
    throw new ServiceError(
      "FORBIDDEN",
      `This token was minted for the model ${token.model}. Use that model, or mint another token.`,
    );
  }
  const { model: ownFamily } = await requireOwnAgent(database, token.account, token.agentCode);
  const rate = (family: ModelFamily) => rateOf({ family, isSelfHosted: false });
  if (rate(chosen.family) <= rate(ownFamily)) return;
  throw new ServiceError(
    "FORBIDDEN",
    `${chosen.name} costs more than the agent's own model ${ownFamily}. Mint a token with model ${chosen.name}.`,
  );
}

async function readImage(
  { outgoing, inspector }: SessionServices,
  image: string | UploadedFile,
  caller: TaskCaller,
): Promise<Uint8Array> {
  const bytes = await imageBytes(outgoing, image);
  return (await inspector.inspect({ bytes, check: "refuse" }, caller)).portrait;
}

async function imageBytes(outgoing: SessionServices["outgoing"], image: string | UploadedFile): Promise<Uint8Array> {
  if (image instanceof UploadedFile) {
    if (image.sizeBytes <= MAX_PORTRAIT_BYTES) return readFile(image.path);
    throw new ServiceError("FILE_TOO_LARGE", `The image is larger than ${MAX_PORTRAIT_BYTES / 1e6} MB`);
  }
  const input = parsePortraitInput(image);
  if (input.kind === "bytes") return input.bytes;
  return (await outgoing.download(input.url, { maxBytes: MAX_PORTRAIT_BYTES, timeoutMs: IMAGE_TIMEOUT_MS })).bytes;
}
