// `avatar doctor` checks what the command line needs, `avatar doctor gpu` every step of rendering on a GPU, and `avatar
// doctor llm` lists the language models of this machine. All say what is missing.
import { Argument, type Command, InvalidArgumentError } from "commander";
import type { Environment } from "../../terminal/environment.ts";

interface DoctorOptions {
  json?: boolean;
  port?: number[];
}

export function registerDoctor(program: Command, environment: Environment): void {
  program
    .command("doctor")
    .description(
      "Check what this program needs, a GPU to render on, or language models; exit code 69 if something is missing",
    )
    .addArgument(new Argument("[subject]", "what to check (default: this program)").choices(["gpu", "llm"]))
    .option("--json", "print one object: ready, and checks, steps or models")
    .option("--port <number>", "llm: look at this port instead of the usual ones; may be repeated", addPort)
    .action(async (subject: string | undefined, { json, port }: DoctorOptions) => {
      if (subject === "llm") {
        const { reportLlm } = await import("./report-llm.ts");
        return reportLlm({ json, ports: port });
      }
      if (subject === undefined) {
        const { reportClient } = await import("./report-client.ts");
        return reportClient(environment, { json });
      }
      const { reportGpu } = await import("./report-gpu.ts");
      await reportGpu(environment, { json });
    });
}

function addPort(text: string, ports: readonly number[] = []): number[] {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return [...ports, port];
  throw new InvalidArgumentError("A port is a number from 1 to 65535.");
}
