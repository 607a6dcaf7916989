// Implements `avatar engine install`.
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import packageJson from "../../../package.json" with { type: "json" };
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { openStatusLine } from "../../terminal/status-line.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { describeChecks } from "../doctor/describe-checks.ts";
import { GPU_STEPS, REMEDIES } from "../doctor/gpu-steps.ts";
import { findPackageRoot, installPackages } from "./install-packages.ts";
import { findRenderers, type RendererReport } from "./renderers.ts";
import type { engineInstallShape } from "./shapes.ts";

type Installed = z.input<typeof engineInstallShape>;

interface InstallRequest {
  force?: boolean;
  json?: boolean;
}

/** What makes faces of pictures. */
const CPU_PACKAGES = ["onnxruntime-node", "sharp"] as const;

/** Throws CliError unavailable if it could not be fetched, or cannot be had here. */
export async function installRenderer(
  renderer: "cpu" | "cuda",
  request: InstallRequest,
  environment: Environment,
): Promise<void> {
  const found = (await findRenderers()).find((each) => each.renderer === renderer) as RendererReport;
  if (renderer === "cuda") return installCuda(found, request);
  const isThere = found.state === "installed" && !request.force;
  const packages = isThere ? [] : await installCpu(request, environment);
  const result: Installed = { renderer, state: "installed", packages, steps: [] };
  if (request.json) return writeJson(result);
  process.stdout.write(isThere ? `It is here already: ${found.found}.\n` : `Installed: ${packages.join(", ")}.\n`);
}

async function installCpu({ json }: InstallRequest, environment: Environment): Promise<string[]> {
  const versions: Readonly<Record<string, string | undefined>> = packageJson.dependencies;
  const packages = CPU_PACKAGES.map((name) => `${name}@${versions[name] ?? "latest"}`);
  const root = findPackageRoot(fileURLToPath(import.meta.url));
  const status = openStatusLine(json === true);
  status.show(`npm fetches ${packages.join(" and ")}`);
  await interruptible((signal) => installPackages({ root, packages, environment, signal })).finally(status.clear);
  return packages;
}

/** Driver, card and libraries are the system's, so the steps are told, not taken. */
function installCuda({ state, found }: RendererReport, { json }: InstallRequest): void {
  if (state === "unsupported") {
    throw new CliError("unavailable", `This computer cannot render on a GPU: ${found}.`, {
      hint: `${REMEDIES.platform} ${REMEDIES.card}`,
    });
  }
  const steps = state === "installed" ? [] : GPU_STEPS.map((step) => ({ step, what: REMEDIES[step] }));
  if (json) {
    const result: Installed = { renderer: "cuda", state, packages: [], steps };
    writeJson(result);
    return;
  }
  if (steps.length === 0) {
    process.stdout.write(`It is here already: ${found}.\n`);
    return;
  }
  const text = describeChecks(
    steps.map(({ step, what }, index) => ({ name: step, state: `${index + 1}.`, found: what })),
  );
  process.stdout.write(`${text}\n\navatar doctor gpu checks every step.\n`);
}
