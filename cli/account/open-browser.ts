// Opens an address in the person's browser, where this computer has one.
import { spawn } from "node:child_process";
import type { Environment } from "../terminal/environment.ts";

/** False if there is no browser to open it in: over SSH, and without a screen. `BROWSER` names a program that gets the
 *  address; never throws. */
export async function openBrowser(url: string, environment: Environment): Promise<boolean> {
  const [program, ...words] = browserProgram(environment) ?? [];
  if (program === undefined) return false;
  return new Promise((resolve) => {
    const child = spawn(program, [...words, url], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

function browserProgram({ BROWSER, SSH_CONNECTION, DISPLAY, WAYLAND_DISPLAY }: Environment): string[] | undefined {
  if (BROWSER) return [BROWSER];
  if (SSH_CONNECTION) return undefined;
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return DISPLAY || WAYLAND_DISPLAY ? ["xdg-open"] : undefined;
}
