import { CliError } from "./cli-error.ts";

/** The text of standard input. Throws CliError(usage) if it is longer than `mostBytes`. */
export async function readStandardInput(mostBytes: number): Promise<string> {
  return new TextDecoder().decode(await readStandardBytes(mostBytes));
}

/** The bytes of standard input. Throws as `readStandardInput`. */
export async function readStandardBytes(mostBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > mostBytes) throw new CliError("usage", `Standard input has more than ${mostBytes} bytes.`);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
