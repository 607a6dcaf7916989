// What `avatar version`, `completion` and `__schema` print with --json.
import { z } from "zod";

export const versionShape = z.strictObject({ version: z.string(), node: z.string() });

export const completionShape = z.strictObject({ shell: z.string(), script: z.string() });

const jsonSchemaShape = z.record(z.string(), z.unknown()).meta({ description: "A JSON Schema" });

export const schemaShape = z.strictObject({
  version: z.string(),
  commands: z.array(
    z.strictObject({
      name: z.string().meta({ description: "With the commands it is part of: voices pull" }),
      aliases: z.array(z.string()),
      description: z.string(),
      arguments: z.array(
        z.strictObject({
          name: z.string(),
          required: z.boolean(),
          variadic: z.boolean(),
          choices: z.array(z.string()),
        }),
      ),
      options: z.array(
        z.strictObject({
          flags: z.string(),
          names: z.array(z.string()),
          description: z.string(),
          takesValue: z.boolean(),
          choices: z.array(z.string()),
        }),
      ),
      output: jsonSchemaShape
        .nullable()
        .meta({ description: "JSON Schema of what it prints with --json; null for a group of commands" }),
    }),
  ),
  errors: jsonSchemaShape,
  exit_codes: z.record(z.string(), z.int()),
  mcp_tools: z.array(
    z.strictObject({ name: z.string(), title: z.string().optional(), annotations: z.looseObject({}).optional() }),
  ),
});
