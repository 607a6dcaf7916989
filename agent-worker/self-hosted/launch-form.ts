// What a caller sends to launch an avatar: a form of LiveKit's agent plugin or JSON, checked and in one shape.
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { readBody } from "../../program/http/body.ts";
import { parsePart } from "../../program/http/parse-part.ts";
import { MAX_PORTRAIT_BYTES, parsePortraitInput } from "../../program/http/portrait-input.ts";
import { UploadedFile } from "../../program/http/uploaded-file.ts";
import type { AddressGuard } from "../../program/outgoing/address-guard.ts";
import { assertReachable, checkJoinToken, normaliseLiveKitUrl } from "../../program/outgoing/livekit-url.ts";
import { ServiceError } from "../../shared/errors.ts";
import { resolveModel } from "../../shared/models.ts";

/** An image of 10 MB in base64, and the other fields. */
const BODY_LIMIT_BYTES = 14 * 1024 * 1024;
const DEFAULT_PROMPT = "A person is talking naturally.";
const PROMPT_MAX_CHARACTERS = 2_000;

const text = (maxLength: number) => z.string().max(maxLength).nullish();
const image = z.union([z.string(), z.instanceof(UploadedFile)]).nullish();
const yesOrNo = z
  .union([z.boolean(), z.enum(["true", "false", "1", "0", ""], "must be true or false")])
  .transform((value) => value !== false && value !== "false" && value !== "0");

/** Names of the container's form and of the service's own launch. */
const fieldsSchema = z.object({
  livekit_url: text(2048),
  livekit_token: text(16_384),
  room_name: text(256),
  avatar_id: text(100),
  agent_id: text(100),
  agent_code: text(100),
  avatar_image: image,
  image,
  avatar_image_url: text(2048),
  model: text(60),
  mode: text(20),
  prompt: text(PROMPT_MAX_CHARACTERS),
  api_secret: text(4096),
  async_mode: yesOrNo.nullish(),
  listen: yesOrNo.nullish(),
});
type Fields = z.infer<typeof fieldsSchema>;

export type LaunchImage = { kind: "bytes"; bytes: Uint8Array } | { kind: "url"; url: string };

export interface LaunchForm {
  /** In one form for all spellings. */
  livekitUrl: string;
  /** Join token of the avatar. */
  livekitToken: string;
  roomName: string;
  /** As which the token lets the avatar join. */
  avatarIdentity: string;
  agentCode: string | null;
  model: string | null;
  image: LaunchImage | null;
  prompt: string;
  /** Whether the face may react to what users say. */
  listens: boolean;
  /** Credential of the form itself. */
  apiSecret: string | null;
  /** Whether the answer comes before the avatar is in its room. */
  isAsync: boolean;
}

export interface LaunchFormOptions {
  /** Decides which LiveKit servers may be joined. */
  guard: AddressGuard;
  /** Milliseconds since the epoch, by the clock of the service. */
  nowMs(): number;
  /** Free disk space that forms with files must leave. */
  minFreeBytes: number;
}

/** Reads and checks a launch; an image at a URL is not fetched yet. Throws ServiceError: MISSING_PARAM,
 *  VALIDATION_ERROR, FILE_TOO_LARGE; SERVICE_UNAVAILABLE without space for its files. */
export async function readLaunchForm(request: IncomingMessage, options: LaunchFormOptions): Promise<LaunchForm> {
  const body = await readBody(request, {
    types: ["json", "form", "multipart"],
    limitBytes: BODY_LIMIT_BYTES,
    fileOrTextFields: ["image", "avatar_image"],
    minFreeBytes: options.minFreeBytes,
  });
  try {
    const fields = parsePart(fieldsSchema, body.value, "body") as Fields;
    const asked = new URL(request.url ?? "/", "http://localhost").searchParams.get("async") ?? undefined;
    return await checkFields(fields, readFlag(asked), options);
  } finally {
    await body.discard();
  }
}

async function checkFields(
  fields: Fields,
  isAsyncByUrl: boolean,
  { guard, nowMs }: LaunchFormOptions,
): Promise<LaunchForm> {
  const missing = (["livekit_url", "livekit_token", "room_name"] as const).filter((name) => !fields[name]);
  if (missing.length > 0) throw new ServiceError("MISSING_PARAM", `Required parameter missing: ${missing.join(", ")}`);
  const livekitUrl = normaliseLiveKitUrl(fields.livekit_url!, guard);
  const [livekitToken, roomName] = [fields.livekit_token!, fields.room_name!];
  // Its signature is checked by its own server alone.
  const avatarIdentity = await checkJoinToken({ token: livekitToken, roomName, nowMs: nowMs(), ownServer: null });
  const read = await readImage(fields);
  const model = fields.model || null;
  if (read && model !== null && resolveModel(model)?.family !== "expression-1") {
    throw new ServiceError("VALIDATION_ERROR", "image can be used only with the model expression-1");
  }
  // Who launches is not known yet: launches that name the same host take turns.
  await assertReachable(livekitUrl, guard, new URL(livekitUrl).hostname);
  return {
    livekitUrl,
    livekitToken,
    roomName,
    avatarIdentity,
    agentCode: fields.avatar_id || fields.agent_id || fields.agent_code || null,
    model,
    image: read,
    prompt: fields.prompt || DEFAULT_PROMPT,
    listens: fields.listen ?? true,
    apiSecret: fields.api_secret || null,
    isAsync: fields.async_mode ?? isAsyncByUrl,
  };
}

async function readImage(fields: Fields): Promise<LaunchImage | null> {
  const given = fields.avatar_image || fields.image || fields.avatar_image_url || null;
  if (given === null) return null;
  if (typeof given === "string") return parsePortraitInput(given);
  if (given.sizeBytes > MAX_PORTRAIT_BYTES) {
    throw new ServiceError("FILE_TOO_LARGE", `The image is larger than ${MAX_PORTRAIT_BYTES / 1e6} MB`);
  }
  if (given.sizeBytes === 0) throw new ServiceError("VALIDATION_ERROR", "avatar_image is empty");
  return { kind: "bytes", bytes: await given.read() };
}

function readFlag(asked: string | undefined): boolean {
  if (asked === undefined) return true;
  const parsed = yesOrNo.safeParse(asked);
  if (parsed.success) return parsed.data;
  throw new ServiceError("VALIDATION_ERROR", "async must be true or false");
}
