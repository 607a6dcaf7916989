// Serves stored objects by signed links.
import type { Readable } from "node:stream";
import { z } from "zod";
import { toErrorAnswer } from "../../program/http/error-answer.ts";
import { ServiceError } from "../../shared/errors.ts";
import { Answer, redirectTo } from "../kernel/http/answer.ts";
import { type Route, route } from "../kernel/http/route.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { parseByteRange } from "../kernel/storage/byte-range.ts";
import { fileHeaders, presentFile } from "../kernel/storage/file-headers.ts";

/** Portraits never lead to a bucket: the content policy of our pages allows images of our own origin only. */
const PORTRAITS = "portraits";

/** The route behind every link of `FileLinks`. */
export function fileRoutes({ storage, fileLinks }: Pick<Kernel, "storage" | "fileLinks">): Route[] {
  return [
    route({
      method: "get",
      path: "/files/:kind/:name",
      operation: "files.download",
      tier: "none",
      auth: "none",
      summary: "Fetch a stored file by its signed link",
      tags: ["Files"],
      params: z.object({ kind: z.string(), name: z.string() }),
      query: z.object({
        expires: z.string().optional(),
        name: z.string().max(200).optional(),
        signature: z.string().optional(),
      }),
      redirects: true,
      responseType: "application/octet-stream",
      errors: ["NOT_FOUND", "FORBIDDEN"],
      async handler({ params, query, request }): Promise<Answer<undefined>> {
        const key = `${params.kind}/${params.name}`;
        if (!fileLinks.verify(key, query))
          throw new ServiceError("FORBIDDEN", "The link is not valid or has expired. Request a new one.");
        const sizeBytes = await storage.sizeOf(key);
        if (sizeBytes === null) throw new ServiceError("NOT_FOUND", "File not found");
        const signedUrl =
          params.kind === PORTRAITS ? null : await storage.signedUrl?.(key, presentFile(key, query.name));
        if (signedUrl) return redirectTo(signedUrl);
        const header = request.headers.range;
        const range = parseByteRange(typeof header === "string" ? header : undefined, sizeBytes);
        const headers = fileHeaders(key, query.name);
        if (range === "unsatisfiable") {
          return outsideTheFile(sizeBytes);
        }
        const stream = (await storage.read(key, range ?? undefined)) as Readable;
        if (!range) return new Answer({ headers: { ...headers, "Content-Length": String(sizeBytes) }, stream });
        return new Answer({
          status: 206,
          headers: {
            ...headers,
            "Content-Length": String(range.end - range.start),
            "Content-Range": `bytes ${range.start}-${range.end - 1}/${sizeBytes}`,
          },
          stream,
        });
      },
    }),
  ];
}

/** The refusal of a range. The contract has no code for it, so it is sent as VALIDATION_ERROR. */
function outsideTheFile(sizeBytes: number): Answer<undefined> {
  const { status, body } = toErrorAnswer(
    new ServiceError("VALIDATION_ERROR", `The requested range is outside the file, which has ${sizeBytes} bytes`),
    416,
  );
  return new Answer({
    status,
    headers: { "Content-Type": "application/json; charset=utf-8", "Content-Range": `bytes */${sizeBytes}` },
    bytes: JSON.stringify(body),
  });
}
