// The media soak as a program: options as its only argument, its result as JSON on standard output.
import { soakMedia } from "./media-soak.ts";

const report = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
const result = await soakMedia({ ...JSON.parse(process.argv[2]), report });
process.stdout.write(JSON.stringify(result), () => process.exit(0));
