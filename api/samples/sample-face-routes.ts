// GET /samples: faces that pages show without a credential, with all that a tab needs to draw them and to make them
// speak.
import type { Readable } from "node:stream";
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { readPoster } from "../agents/posters/read-poster.ts";
import { Answer } from "../kernel/http/answer.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { sampleKey } from "./sample-avatars.ts";
import { createSampleFaces, SAMPLE_VERSION, type SampleFace } from "./sample-faces.ts";
import type { SampleServices } from "./sample-services.ts";
import { createSampleThumbnails } from "./sample-thumbnails.ts";

const IMMUTABLE = "public, max-age=31536000, immutable";
const JPEG = "image/jpeg";
const PNG = "image/png";
const WEBP = "image/webp";

export function sampleFaceRoutes(services: SampleServices): Route[] {
  const { storage, gallery, clips, publicUrl, logger } = services;
  const faces = createSampleFaces(services);
  const thumbnails = createSampleThumbnails(gallery);
  const shared = { method: "get", tier: "none", auth: "none", tags: ["Models"], internal: true } as const;

  function clipOf({ entry, line }: SampleFace) {
    return { voiceId: entry.voice, text: line };
  }

  function view(face: SampleFace) {
    const { id, name, voice } = face.entry;
    const base = `${publicUrl}/samples/${id}`;
    return {
      slug: id,
      name,
      voice,
      line: face.line,
      aspect_ratio: "1:1" as const,
      poster_url: `${base}/poster?v=${SAMPLE_VERSION}`,
      thumbnail_url: `${base}/thumbnail?v=${SAMPLE_VERSION}`,
      portrait_url: `${base}/portrait?v=${SAMPLE_VERSION}`,
      imx_url: `${base}/imx?v=${SAMPLE_VERSION}`,
      speech_url: `${base}/speech?v=${clips.idOf(clipOf(face))}`,
    };
  }

  async function portraitOf({ entry }: SampleFace, caching: string): Promise<Answer<undefined>> {
    const { bytes } = await gallery.load(entry.id);
    const contentType = entry.file.endsWith(".png") ? PNG : JPEG;
    return new Answer({ bytes, headers: { "Content-Type": contentType, "Cache-Control": caching } });
  }

  function file(name: string, summary: string, answer: (face: SampleFace) => Promise<Answer<undefined>>): Route {
    return route({
      ...shared,
      path: `/samples/:slug/${name}`,
      operation: `samples.${name}`,
      summary,
      params: z.object({ slug: z.string().max(60) }),
      errors: ["NOT_FOUND", "SERVICE_UNAVAILABLE"],
      handler: async ({ params }) => answer(faces.find(params.slug)),
    });
  }

  return [
    route({
      ...shared,
      path: "/samples",
      operation: "samples.faces",
      summary: "Sample faces of the pages",
      response: z.object({
        samples: z.array(
          z.object({
            slug: z.string(),
            name: z.string(),
            /** Voice of the line. */
            voice: z.string(),
            line: z.string(),
            aspect_ratio: z.literal("1:1"),
            poster_url: z.string(),
            /** The face alone, small. */
            thumbnail_url: z.string(),
            /** The picture from which it was made. */
            portrait_url: z.string(),
            imx_url: z.string(),
            /** The line, as WAV. */
            speech_url: z.string(),
          }),
        ),
      }),
      errors: [],
      async handler() {
        // The page opens with the first one; the others are made in the background, or when they are chosen.
        const [first] = faces.all;
        if (!(await faces.order(first))) {
          clips.get(clipOf(first)).catch((error) => logger.warn({ err: error }, "line of a sample not spoken ahead"));
        }
        return { samples: faces.all.map(view) };
      },
    }),
    file("poster", "The face at rest; its picture as long as it is not made", async (face) => {
      const poster = await readPoster(storage, sampleKey(face.entry));
      if (poster === null) return portraitOf(face, "no-store");
      return new Answer({ bytes: poster, headers: { "Content-Type": JPEG, "Cache-Control": IMMUTABLE } });
    }),
    file("thumbnail", "The face, small, for a row of faces", async ({ entry }) => {
      const bytes = await thumbnails.of(entry);
      return new Answer({ bytes, headers: { "Content-Type": WEBP, "Cache-Control": IMMUTABLE } });
    }),
    file("portrait", "The picture from which the face was made", (face) => portraitOf(face, IMMUTABLE)),
    file("imx", "The face, for a tab to draw; made now unless it is there", async (face) => {
      await faces.whenBaked(face);
      const key = sampleKey(face.entry);
      const sizeBytes = await storage.sizeOf(key);
      if (sizeBytes === null) throw new ServiceError("NOT_FOUND", "There is no such sample");
      return new Answer({
        stream: (await storage.read(key)) as Readable,
        headers: {
          "Content-Type": "application/octet-stream",
          "Content-Length": String(sizeBytes),
          "Cache-Control": IMMUTABLE,
        },
      });
    }),
    file("speech", "The line that the face says", async (face) => {
      const wav = await clips.get(clipOf(face));
      return new Answer({ bytes: wav, headers: { "Content-Type": "audio/wav", "Cache-Control": IMMUTABLE } });
    }),
  ];
}
