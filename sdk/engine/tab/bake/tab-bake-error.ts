// What can go wrong between a picture and its avatar in the tab, apart from the face in it.

/** `picture`: this file cannot be used, another can. `picture-size`: it has too many pixels or bytes. `webassembly`:
 *  the browser or its policy forbids WebAssembly. `browser`: it lacks something else, or could not start the worker.
 *  `network`: the networks could not be fetched. `package`: ONNX Runtime is not in the page. `memory`: there was not
 *  enough. `timeout`: it took too long. `failed`: anything else. After all but the first two, the service can still
 *  make the face. */
export type TabBakeProblem =
  | "picture"
  | "picture-size"
  | "webassembly"
  | "browser"
  | "network"
  | "package"
  | "memory"
  | "timeout"
  | "failed";

/** What to say where no more is known. */
const MESSAGES: Readonly<Record<Exclude<TabBakeProblem, "picture" | "picture-size">, string>> = Object.freeze({
  webassembly:
    "This browser does not run WebAssembly here, which making a face in the tab needs. Allow it for this page, or use another browser.",
  browser: "This browser cannot make a face in the tab. Update it, or use another one.",
  network: "What makes the face could not be loaded. Check the connection and try again.",
  package:
    "Making a face in the tab needs the package onnxruntime-web, and a bundler that puts it into the page: npm install onnxruntime-web",
  memory: "This device has too little free memory for the picture. Close other tabs, or choose a smaller picture.",
  timeout: "Making the face took too long and was stopped. Try again, or choose a smaller picture.",
  failed: "The face could not be made from this picture. Try again, or choose another picture.",
});

/** The message is for the visitor, and ends with what to do. */
export class TabBakeError extends Error {
  readonly code: TabBakeProblem;

  constructor(code: TabBakeProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TabBakeError";
    this.code = code;
  }
}

/** The error of a problem with its usual message. */
export function tabBakeError(code: keyof typeof MESSAGES, cause?: unknown): TabBakeError {
  return new TabBakeError(code, MESSAGES[code], { cause });
}

/** Any error as one for the visitor. */
export function toTabBakeError(error: unknown): TabBakeError {
  if (error instanceof TabBakeError) return error;
  const text = String(error);
  if (/out of memory|allocation failed|invalid (typed )?array( buffer)? length/i.test(text)) {
    return tabBakeError("memory", error);
  }
  return tabBakeError("failed", error);
}
