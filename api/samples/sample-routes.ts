// Routes of the sample avatars. They need no credential.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { agentNotFound } from "../agents/agent-access.ts";
import type { AgentServices } from "../agents/agent-services.ts";
import { assertGenerated, requireModel } from "../agents/models/model-availability.ts";
import { modelDownloadAnswer } from "../agents/models/model-download.ts";
import { GALLERY_UPDATED } from "../agents/portraits/gallery.ts";
import { SAMPLE_PREFIX } from "../agents/record/agent-code.ts";
import { Answer, redirectTo } from "../kernel/http/answer.ts";
import { asksForJson } from "../kernel/http/asks-for-json.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { MODEL_LINK_SECONDS } from "../kernel/storage/file-links.ts";
import {
  enqueueSample,
  RETRY_AFTER_SECONDS,
  SAMPLE_FAMILY,
  sampleCode,
  sampleFilename,
  sampleKey,
} from "./sample-avatars.ts";

/** Version of the list format. Source: the contract. */
const SHOWCASE_VERSION = 2;

/** A sample avatar with its model file. */
const sampleSchema = z
  .object({
    slug: z.string(),
    name: z.string(),
    model: z.string(),
    agent_code: z.string(),
    url: z.string(),
    size: z.int().meta({ description: "Size of the file in bytes" }),
  })
  .meta({ id: "SampleModel" });

/** The routes. */
export function sampleRoutes(services: AgentServices): Route[] {
  const { gallery, storage, fileLinks, offeredModels, publicUrl } = services;
  return [
    route({
      method: "get",
      path: "/v1/models/showcase",
      operation: "samples.list",
      tier: "address",
      auth: "none",
      summary: "List sample avatars, which need no account",
      description:
        "Those that can be downloaded now. After the first start, and after an upgrade, all are made within minutes; if there is none yet, this makes the first.",
      tags: ["Models"],
      response: z.object({
        version: z.literal(SHOWCASE_VERSION),
        updated: z.iso.date(),
        models: z.array(sampleSchema),
      }),
      errors: [],
      async handler() {
        const sizes = await Promise.all(gallery.entries.map((entry) => storage.sizeOf(sampleKey(entry))));
        const models = gallery.entries.flatMap((entry, index) => {
          const size = sizes[index];
          if (size === null) return [];
          const code = sampleCode(entry);
          const url = `${publicUrl}/v1/agent/${code}/model/download`;
          return [{ slug: entry.id, name: entry.name, model: SAMPLE_FAMILY, agent_code: code, url, size }];
        });
        // A caller that looks for one soon after the first start finds one within seconds.
        if (models.length === 0) await enqueueSample(services.database, gallery.entries[0]);
        return { version: SHOWCASE_VERSION, updated: GALLERY_UPDATED, models } as const;
      },
    }),
    route({
      method: "get",
      path: `/v1/agent/${SAMPLE_PREFIX}:slug/model/download`,
      operation: "samples.download",
      tier: "address",
      auth: "none",
      summary: "Redirect to the file of a sample avatar, or return its URL as JSON",
      tags: ["Models"],
      params: z.object({ slug: z.string() }),
      query: z.object({ model: z.string().optional(), redirect: z.string().optional() }),
      example: { params: { slug: "maya" }, query: { model: "essence-2", redirect: "false" } },
      response: modelDownloadAnswer,
      redirects: true,
      errors: ["NOT_FOUND", "MODEL_ARTIFACT_NOT_READY", "MODEL_NOT_GENERATED", "MODEL_NOT_OFFERED"],
      async handler({ params, query }) {
        const entry = gallery.entries.find(({ id }) => id === params.slug);
        if (!entry) throw agentNotFound(`${SAMPLE_PREFIX}${params.slug}`);
        const code = sampleCode(entry);
        if (query.model !== undefined) {
          assertGenerated(code, requireModel(query.model, offeredModels).family, [SAMPLE_FAMILY], offeredModels);
        }
        if ((await storage.sizeOf(sampleKey(entry))) === null) {
          await enqueueSample(services.database, entry);
          throw new ServiceError(
            "MODEL_ARTIFACT_NOT_READY",
            `The file of ${code} is still being generated. Try again in a moment.`,
            {
              retryAfterSeconds: RETRY_AFTER_SECONDS,
            },
          );
        }
        const filename = sampleFilename(entry);
        const url = fileLinks.linkTo(sampleKey(entry), { expiresInSeconds: MODEL_LINK_SECONDS, filename });
        if (!asksForJson(query.redirect)) return redirectTo(url);
        const data = { code, model: SAMPLE_FAMILY, filename, url, expires_in: MODEL_LINK_SECONDS, sha256: null };
        return new Answer({ json: { success: true as const, data } });
      },
    }),
  ];
}
