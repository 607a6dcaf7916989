// What `avatar mcp tools` prints with --json.
import { z } from "zod";

export const mcpToolsShape = z.strictObject({
  tools: z.array(
    z.looseObject({
      name: z.string(),
      title: z.string().optional(),
      description: z.string().optional(),
      inputSchema: z.looseObject({ type: z.literal("object") }),
      outputSchema: z.looseObject({}).optional(),
      annotations: z.looseObject({ readOnlyHint: z.boolean().optional() }).optional(),
    }),
  ),
});
