// The one object that a command prints with --json.
import { z } from "zod";

/** Parses standard output by the shape of the command. Throws if it is anything but one object of this shape. */
export function readCommand<Shape extends z.ZodRawShape>(
  shape: z.ZodObject<Shape, z.core.$strict>,
  stdout: string,
): z.output<z.ZodObject<Shape, z.core.$strict>> {
  const { schema_version, ...rest } = JSON.parse(stdout);
  z.literal(1).parse(schema_version);
  return shape.parse(rest);
}
