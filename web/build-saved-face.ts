// Builds the template of saved faces: web/saved as one HTML file that needs nothing else. The local page loads it as an
// asset and fills in a face.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { InlineConfig, Plugin, Rollup } from "vite";

/** What the local page imports: the address of the template. */
const VIRTUAL_MODULE = "virtual:saved-face";
const RESOLVED = `\0${VIRTUAL_MODULE}`;

/** Gives pages the address of the template. `markup` is the plugin that completes the page's head. */
export function savedFaceTemplate(webDir: string, markup: Plugin): Plugin {
  return {
    name: "saved-face-template",
    resolveId: (id) => (id === VIRTUAL_MODULE ? RESOLVED : undefined),
    async load(id) {
      if (id !== RESOLVED) return undefined;
      const source = await buildTemplate(join(webDir, "saved"), markup);
      // Not as HTML: at an address of this service it would be a page without our policy.
      const file = this.emitFile({ type: "asset", name: "saved-face.bin", source });
      return `export default import.meta.ROLLUP_FILE_URL_${file};`;
    },
  };
}

async function buildTemplate(root: string, markup: Plugin): Promise<string> {
  const vite = await import("vite");
  const built = (await vite.build(templateConfig(root, markup))) as Rollup.RollupOutput;
  const files = new Map(
    built.output.map((file) => [file.fileName, file.type === "chunk" ? file.code : String(file.source)]),
  );
  const html = files.get("index.html")!;
  const scripts: string[] = [];
  const styles: string[] = [];
  const inlined = html
    .replace(/<script type="module"[^>]*src="\.\/([^"]+)"><\/script>/g, (_, name: string) => {
      // Only inside of strings and regular expressions, where the backslash changes nothing.
      scripts.push(files.get(name)!.replaceAll("</script", "<\\/script"));
      return "";
    })
    .replace(/<link rel="stylesheet"[^>]*href="\.\/([^"]+)">/g, (_, name: string) => {
      styles.push(files.get(name)!);
      return "";
    })
    // The icon, which Vite leaves as a file.
    .replace(/href="\.\/([^"]+\.svg)"/g, (_, name: string) => `href="${svgUrl(files.get(name)!)}"`);
  if (scripts.length !== 1 || /(src|href)="\.\//.test(inlined))
    throw new Error("web/saved is not one script and styles");
  const style = styles.join("");
  const head = `<meta http-equiv="Content-Security-Policy" content="${policyOf(scripts[0], style)}" />\n<style>${style}</style>`;
  // Functions, because "$" means something in replacements.
  return inlined
    .replace("<title>", () => `${head}\n<title>`)
    .replace("</body>", () => `<script type="module">${scripts[0]}</script>\n</body>`);
}

function templateConfig(root: string, markup: Plugin): InlineConfig {
  return {
    configFile: false,
    logLevel: "warn",
    root,
    base: "./",
    publicDir: false,
    plugins: [markup],
    build: {
      write: false,
      target: "es2022",
      assetsInlineLimit: Number.POSITIVE_INFINITY,
      cssCodeSplit: false,
      modulePreload: false,
      chunkSizeWarningLimit: 2000,
      rolldownOptions: { checks: { bundlerTimings: false }, output: { codeSplitting: false } },
    },
  };
}

/** Nothing is loaded and nothing is sent: the one script, the one style, and what is built into them. The worklet is a
 *  `data:` address, because a page without an origin may load none from a Blob. */
function policyOf(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(script)}' 'wasm-unsafe-eval' data:`,
    `style-src '${hashOf(style)}'`,
    "font-src data:",
    "img-src data: blob:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function svgUrl(svg: string): string {
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
