import { z } from "zod";

/** What `avatar worker` prints with --json when it listens. */
export const workerShape = z.strictObject({ host: z.string(), port: z.int(), url: z.string(), pid: z.int() });
