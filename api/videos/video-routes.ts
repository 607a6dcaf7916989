// Routes of talking videos.
import { z } from "zod";
import { parseJson } from "../../program/http/body-text.ts";
import { parsePart } from "../../program/http/parse-part.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { PageAgents } from "../agents/page-agents.ts";
import { findAgentById } from "../agents/record/agent-store.ts";
import { Answer } from "../kernel/http/answer.ts";
import { idempotentRequest } from "../kernel/http/idempotency.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { deletedSchema, paginationOf, paginationSchema } from "../kernel/http/shared-schemas.ts";
import { deleteVideo } from "./delete-videos.ts";
import { orderVideo } from "./order-video.ts";
import { VIDEO_STATUSES, type Video } from "./video.ts";
import type { VideoServices } from "./video-services.ts";
import { findVideo, listVideos, VIDEO_CHANNEL } from "./video-store.ts";
import { videoSchema, viewVideo } from "./video-views.ts";

const OPERATION_GENERATE = "video-generate";
const TAGS = ["Talking videos"];
const TRUE_WORDS = ["true", "1"];

const waitWords = z.enum(["true", "false", "1", "0"]);

const inputSchema = z
  .object({
    type: z.enum(["text", "audio"]).meta({ description: "Whether the agent speaks a text, or a recording is played" }),
    text: z.string().nullish().meta({ description: "At most 5,000 characters and 120 seconds of speech" }),
    voice: z.string().nullish().meta({
      description:
        "A voice for the text: M1 to M5, F1 to F5, or the code of a designed voice. Default: the agent's own",
    }),
    emotion: z.string().nullish().meta({
      description:
        "What the face shows while it speaks the text or plays the recording: neutral, happy, sad, angry, surprised, afraid, disgusted or content, or one with an intensity, such as happy:0.6. Tags in the text, such as [sad:0.4], change it from their word on, and are not spoken",
    }),
    audio_url: z.string().max(4_096).nullish().meta({
      description: "Public URL of a recording of at most 120 seconds: WAV, MP3 or another common format",
    }),
  })
  .meta({ id: "VideoInput" });

const generateSchema = z
  .object({
    agent_code: z.string().min(1),
    model: z.string().min(1),
    input: z
      .union([inputSchema, z.string()], {
        error: "must be an object with type text or audio, and text or audio_url",
      })
      .meta({ description: "What is said. In a multipart body: the object as JSON" }),
    resolution: z.string().max(20).nullish().meta({
      description:
        "Size of the video: 720p or 1080p in the agent's aspect ratio, or <width>x<height>, such as 416x720. The face is rendered from the portrait at that size. Default: the agent's own canvas, whatever the model; width and height of the completed video tell its size",
    }),
    wait: z
      .union([z.boolean(), waitWords])
      .nullish()
      .meta({ description: "Wait up to 90 seconds for the end. The query parameter wait=true does the same" }),
  })
  .meta({ id: "GenerateVideo" });

/** The fields beside `job_id` and `status` are there once a request has waited for the end. */
const generateAnswer = videoSchema
  .partial()
  .required({ job_id: true, status: true })
  .extend({ success: z.literal(true) });
const listedVideo = videoSchema.extend({}).meta({ id: "TalkingVideo" });
const videoAnswer = videoSchema.extend({ success: z.literal(true) });

/** The routes. */
export function videoRoutes(services: VideoServices & { pageAgents: PageAgents }): Route[] {
  const { database, fileLinks, notifications, pageAgents, policies } = services;
  const view = (video: Video) => ({ success: true as const, ...viewVideo(video, fileLinks) });

  /** Throws NOT_FOUND for another account's. */
  async function requireVideo(id: string, userId: string): Promise<Video> {
    const video = await findVideo(database, id);
    if (video?.userId !== userId) throw videoNotFound(id);
    return video;
  }

  /** The video once it has ended; undefined if that takes too long. */
  const untilEnded = (id: string): Promise<Video | undefined> =>
    notifications.waitFor({ channel: VIDEO_CHANNEL, payload: id, timeoutMs: policies.waitMs }, async () => {
      const video = await findVideo(database, id);
      return video && video.status !== "processing" ? video : undefined;
    });

  return [
    route({
      method: "post",
      path: "/v1/video/generate",
      operation: "videos.generate",
      tier: "generate",
      auth: "secret-or-page",
      summary: "Make a talking video of an agent from a text or a recording",
      tags: TAGS,
      query: z.object({ wait: waitWords.optional() }),
      body: generateSchema,
      example: {
        query: { wait: "true" },
        body: {
          agent_code: "AGENT_CODE",
          model: "essence-2",
          input: { type: "text", text: "Welcome to the museum." },
        },
      },
      bodyTypes: ["json", "multipart"],
      requestHeaders: {
        "Idempotency-Key":
          "A repeated request with the same key within 24 hours returns the first answer and makes no second video",
      },
      response: generateAnswer,
      errors: [
        "MISSING_PARAM",
        "MODEL_NOT_OFFERED",
        "INSUFFICIENT_BALANCE",
        "ACCOUNT_SUSPENDED",
        "PLAN_REQUIRED",
        "NOT_FOUND",
        "VOICE_NOT_FOUND",
        "CONFLICT",
        "MODEL_NOT_GENERATED",
        "AGENT_DELETED",
        "AGENT_PURGED",
        "SERVICE_UNAVAILABLE",
        "MODEL_NOT_YET_AVAILABLE",
      ],
      async handler({ body, query, caller, request }) {
        const account = pageAgents.accountOf(caller);
        const input = readInput(body.input);
        const { agent_code: agentCode, model } = body;
        if (caller.kind === "page") await pageAgents.require(caller, agentCode);
        const resolution = body.resolution || null;
        const idempotency = idempotentRequest(request.headers["idempotency-key"], account.userId, OPERATION_GENERATE, {
          agentCode,
          model,
          input,
          // Keys that were used before this field existed stay valid.
          ...(resolution === null ? {} : { resolution }),
        });
        const order = { account, secretId: caller.secretId, agentCode, model, input, resolution };
        const { answer, isReplay } = await orderVideo(services, order, idempotency);
        const isWaiting = isTrue(body.wait) || isTrue(query.wait);
        const ended = isWaiting ? await untilEnded(answer.job_id) : undefined;
        const headers: Record<string, string> = isReplay ? { "Idempotency-Replayed": "true" } : {};
        return new Answer({ json: ended ? view(ended) : answer, headers });
      },
    }),
    route({
      method: "get",
      path: "/v1/videos",
      operation: "videos.list",
      tier: "read",
      auth: "secret",
      summary: "List the account's talking videos, newest first, without those that went with their agents",
      tags: TAGS,
      query: z.object({
        limit: z.coerce.number().int().min(1).max(100).default(20),
        offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
        agent_code: z.string().min(1).max(100).optional(),
        status: z.enum(VIDEO_STATUSES).optional(),
      }),
      response: z.object({
        success: z.literal(true),
        data: z.array(listedVideo),
        pagination: paginationSchema,
      }),
      errors: ["VALIDATION_ERROR"],
      async handler({ query, caller }) {
        const { limit, offset, status, agent_code: agentCode } = query;
        const filter = { limit, offset, status, agentCode };
        const { videos, total } = await listVideos(database, caller.account.userId, filter);
        const pagination = paginationOf({ limit, offset, total }, videos);
        return { success: true as const, data: videos.map((video) => viewVideo(video, fileLinks)), pagination };
      },
    }),
    route({
      method: "get",
      path: "/v1/video/:job_id",
      operation: "videos.get",
      tier: "read",
      auth: "secret",
      summary: "Get a talking video's state, and its link once it is completed",
      tags: TAGS,
      params: z.object({ job_id: z.string() }),
      response: videoAnswer,
      errors: ["NOT_FOUND", "AGENT_DELETED"],
      async handler({ params, caller }) {
        const video = await requireVideo(params.job_id, caller.account.userId);
        if (video.status === "completed" && video.deletedAt) {
          const agent = await findAgentById(database, video.agentId);
          if (agent?.deletedAt === null) throw videoNotFound(video.id);
          throw new ServiceError("AGENT_DELETED", `Agent ${video.agentCode} was deleted, and its videos with it`);
        }
        return view(video);
      },
    }),
    route({
      method: "delete",
      path: "/v1/video/:job_id",
      operation: "videos.delete",
      tier: "write",
      auth: "secret",
      summary: "Delete a talking video. Its link stops working; one that is being made ends with a full refund",
      tags: TAGS,
      params: z.object({ job_id: z.string() }),
      response: deletedSchema,
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        const video = await requireVideo(params.job_id, caller.account.userId);
        if (video.deletedAt) throw videoNotFound(video.id);
        await deleteVideo(services, video.id);
        return { success: true as const, deleted: true as const };
      },
    }),
  ];
}

function videoNotFound(id: string): ServiceError {
  return new ServiceError("NOT_FOUND", `Video not found: ${id.slice(0, 100)}`);
}

/** Multipart bodies have text fields only. */
function readInput(input: z.output<typeof inputSchema> | string): z.output<typeof inputSchema> {
  if (typeof input !== "string") return input;
  const { input: parsed } = parsePart(z.object({ input: inputSchema }), { input: parseJson(input) }, "body") as {
    input: z.output<typeof inputSchema>;
  };
  return parsed;
}

function isTrue(wait: boolean | string | null | undefined): boolean {
  return typeof wait === "string" ? TRUE_WORDS.includes(wait) : (wait ?? false);
}
