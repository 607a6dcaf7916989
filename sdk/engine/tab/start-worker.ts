import { EngineError } from "../../../shared/engine-error.ts";

/** Starts a worker of this package. `start` names its script in the form that bundlers look for; `file` is the script's
 *  name in the folder `assets`, if the page names one. Throws EngineError(unavailable). */
export function startWorker(start: () => Worker, file: string, assets: string | URL | undefined): Worker {
  if (typeof Worker === "undefined") {
    throw new EngineError("unavailable", "This browser has no web workers, in which a face is rendered.");
  }
  try {
    if (assets === undefined) return start();
    const address = assetUrl(file, assets);
    if (address.origin === location.origin) return new Worker(address, { type: "module" });
    // Browsers start no worker from another origin, but a worker may import from there.
    const script = new Blob([`import ${JSON.stringify(address.href)};`], { type: "text/javascript" });
    return new Worker(URL.createObjectURL(script), { type: "module" });
  } catch (cause) {
    throw new EngineError("unavailable", "The browser refused to start the worker that renders the face.", { cause });
  }
}

/** Address of a file in the folder `assets`. */
export function assetUrl(file: string, assets: string | URL): URL {
  const folder = new URL(assets, document.baseURI);
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  return new URL(file, folder);
}
