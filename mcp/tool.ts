// What a tool is: a call of the service, or a local task, as an assistant sees it.
import type { z } from "zod";
import type { Client, FileSource } from "../sdk/client/index.ts";

/** Files of the person, below one folder. Only on stdio. */
export interface ToolFiles {
  /** Content of a file of at most `limitBytes`. Throws ToolError outside the folder, and for a larger one. */
  read(path: string, limitBytes: number): Promise<FileSource & { data: Uint8Array<ArrayBuffer>; name: string }>;
  /** Writes a file whole, or not at all, and returns its path as it was given. `isPrivate`: for the person alone.
   *  Throws ToolError outside the folder, and where there is one already. */
  write(path: string, content: Uint8Array | string, options?: { isPrivate?: boolean }): Promise<string>;
}

/** What a tool works with. */
export interface ToolContext {
  client: Client;
  /** Id of the account that the client's secret belongs to. */
  userId(): Promise<string>;
  /** Null where the assistant is elsewhere. */
  files: ToolFiles | null;
  /** Aborted when the assistant cancels the call or goes away, and after the time that a call may take. */
  signal: AbortSignal;
  /** Tells the assistant how far the call is, 0 to 1, if it wants that. */
  report(progress: number, message?: string): void;
}

/** What a tool returns: an object as its output schema says, and pictures or sound to show beside it. */
export interface ToolAnswer {
  data: object;
  media?: readonly Media[];
}

/** Bytes that an assistant is shown, or, of a file, that the page of a host gets. */
export interface Media {
  type: "image" | "audio" | "file";
  bytes: Uint8Array;
  mimeType: string;
}

/** What a tool does to its surroundings, as the protocol names it. */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export interface ToolDeclaration<Input extends z.ZodObject, Output extends z.ZodType> {
  /** As callers know it. */
  name: string;
  /** A few words for people. */
  title: string;
  /** For the assistant: what it does and when to use it. */
  description: string;
  input: Input;
  output: Output;
  annotations: ToolAnnotations;
  /** Address of the `ui://` resource that shows its result. */
  app?: string;
  /** Who may call it; default: the assistant, and pages that hosts show. */
  visibility?: readonly ("model" | "app")[];
  run(args: z.output<Input>, context: ToolContext): Promise<ToolAnswer>;
}

/** A declaration with its types erased, as the server uses it. */
export interface Tool extends Omit<ToolDeclaration<z.ZodObject, z.ZodType>, "run"> {
  run(args: unknown, context: ToolContext): Promise<ToolAnswer>;
}

/** Declares a tool. The server parses the arguments with the declared schema before it runs the tool, which makes the
 *  erasure of types safe. */
export function tool<Input extends z.ZodObject, Output extends z.ZodType>(
  declaration: ToolDeclaration<Input, Output>,
): Tool {
  // A wrong name of an argument is a mistake that the assistant can mend.
  return { ...declaration, input: declaration.input.strict() } as unknown as Tool;
}

const annotations = (isReading: boolean, isDestructive: boolean, isIdempotent: boolean): ToolAnnotations => ({
  readOnlyHint: isReading,
  destructiveHint: isDestructive,
  idempotentHint: isIdempotent,
  openWorldHint: false,
});

/** It changes nothing. */
export const READS = annotations(true, false, true);
/** It adds something; again, it adds another. */
export const ADDS = annotations(false, false, false);
/** It sets something; again, nothing more happens. */
export const SETS = annotations(false, false, true);
/** It deletes for good. */
export const DELETES = annotations(false, true, true);
