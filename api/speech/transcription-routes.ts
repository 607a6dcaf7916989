// POST /v1/audio/transcriptions, for clients of the OpenAI protocol. Source of the fields: OpenAI's published API
// description.
import { z } from "zod";
import { uploadedFileSchema } from "../../program/http/uploaded-file.ts";
import type { ErrorCode } from "../../shared/errors.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { audioAnswer } from "./speech-answers.ts";
import type { SpeechServices } from "./speech-services.ts";
import { type TranscribedPart, transcribe } from "./transcribe.ts";
import { TRANSCRIPTION_FORMATS, transcriptionAnswer, transcriptionStream } from "./transcription-answers.ts";

/** Of the form. Source: OpenAI's limit of a file. */
const MAX_FORM_BYTES = 25 * 1024 * 1024;
/** Of its fields besides the file, most of which are ignored. */
const MAX_TEXT_BYTES = 1024 * 1024;
const LANGUAGE = /^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]+)*$/;
const ERRORS: readonly ErrorCode[] = ["SERVICE_UNAVAILABLE", "UPSTREAM_ERROR"];

const requestSchema = z
  .object({
    file: uploadedFileSchema.meta({
      description: "wav, mp3, mp4, m4a, webm, ogg or flac; at most ten minutes. The form has at most 25 MB",
      override: { type: "string", format: "binary", examples: ["speech.wav"] },
    }),
    model: z.string().nullish().meta({ description: "Ignored: this service has one recogniser" }),
    language: z
      .union([z.literal(""), z.string().max(35).regex(LANGUAGE, "must be an ISO 639-1 code")])
      .nullish()
      .meta({ description: "ISO 639-1 code of the expected language. Default: the likeliest" }),
    response_format: z.enum(TRANSCRIPTION_FORMATS).nullish().meta({
      description:
        "json (default), text, verbose_json, srt or vtt. Segments and cues are parts of up to 29 s, cut at pauses: times of words are not known",
    }),
    stream: z.enum(["true", "false"]).nullish().meta({
      description: "true: events transcript.text.delta, one for each part, then transcript.text.done",
    }),
    "timestamp_granularities[]": z
      .literal("segment", "must be segment: times of words are not known")
      .nullish()
      .meta({ description: "Segments are always told in verbose_json; word gets 400" }),
    prompt: z.string().nullish().meta({ description: "Ignored" }),
    temperature: z.string().nullish().meta({ description: "Ignored" }),
  })
  .meta({ id: "CreateTranscription" });

export function transcriptionRoutes(services: SpeechServices): Route[] {
  const { uploads } = services.transcriptions;
  return [
    route({
      method: "post",
      path: "/v1/audio/transcriptions",
      operation: "transcriptions.create",
      tier: "write",
      auth: "secret-or-bearer",
      summary: "Write down what a recording says, for OpenAI clients; costs no credits",
      tags: ["Speech"],
      body: requestSchema,
      bodyTypes: ["multipart"],
      bodyLimitBytes: MAX_FORM_BYTES,
      bodyTextLimitBytes: MAX_TEXT_BYTES,
      beforeBody: async ({ account }) => uploads.take(account.userId),
      responseType: "application/json",
      errors: ERRORS,
      async handler({ body, caller, request }) {
        const recording = { path: body.file.path, language: body.language || undefined };
        const parts = transcribe(services, caller.account.userId, recording, request.signal);
        if (body.stream === "true") {
          // The first part shows whether there is anything to stream; by then the file has been read.
          const stream = transcriptionStream(await parts.next(), parts);
          return audioAnswer("text/event-stream", { stream });
        }
        const all: TranscribedPart[] = [];
        for await (const part of parts) all.push(part);
        return transcriptionAnswer(all, body.response_format ?? "json");
      },
    }),
  ];
}
