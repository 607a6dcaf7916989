// Loads node-av, only inside processes that do nothing else.
import type * as Api from "node-av/api";
import type * as Constants from "node-av/constants";
import type * as Lib from "node-av/lib";

/** The package's three modules. Rejects if it is not installed or has no binary for this platform. */
export async function loadNodeAv(): Promise<{ api: typeof Api; constants: typeof Constants; lib: typeof Lib }> {
  addPromiseWithResolvers();
  const [api, constants, lib] = await Promise.all([
    import("node-av/api"),
    import("node-av/constants"),
    import("node-av/lib"),
  ]);
  return { api, constants, lib };
}

/** node-av calls Promise.withResolvers, which Node has from version 22 on. */
function addPromiseWithResolvers(): void {
  if ("withResolvers" in Promise) return;
  Object.defineProperty(Promise, "withResolvers", {
    value: <T>() => {
      let resolve!: (value: T | PromiseLike<T>) => void;
      let reject!: (reason: unknown) => void;
      const promise = new Promise<T>((onResolve, onReject) => {
        resolve = onResolve;
        reject = onReject;
      });
      return { promise, resolve, reject };
    },
  });
}
