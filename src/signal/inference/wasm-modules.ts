// Compiled WebAssembly modules by their address. A module has no state, so all runtimes of a process share them.

const modules = new Map<string, Promise<WebAssembly.Module>>();

/** Returns the module of `file`; `compile` makes it at the first call. A failure is not remembered. */
export function loadModuleOnce(
  file: URL,
  compile: (file: URL) => Promise<WebAssembly.Module>,
): Promise<WebAssembly.Module> {
  const known = modules.get(file.href);
  if (known) return known;
  const compiling = compile(file);
  modules.set(file.href, compiling);
  compiling.catch(() => modules.delete(file.href));
  return compiling;
}
