// Builds the pages into plain files that the api serves. Run by every `npm start`; unchanged pages are not rebuilt.
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { InlineConfig, Plugin } from "vite";
import { ROOT_PLACEHOLDER } from "../shared/page-root.ts";
import { savedFaceTemplate } from "./build-saved-face.ts";
import { buildSpeakingFace } from "./build-speaking-face.ts";
import { buildWidget } from "./build-widget.ts";
import { CHUNK_GROUPS } from "./chunk-groups.ts";
import { compressFolder } from "./compress-folder.ts";
import { sourceStamp } from "./source-stamp.ts";

const WEB_DIR = dirname(fileURLToPath(import.meta.url));
/** Of the built pages. */
export const WEB_DIST = join(WEB_DIR, "dist");
/** First lines of the head of every page. */
const HEAD_FILE = join(WEB_DIR, "shared", "head.html");
/** First lines of the body of every page: the way home. */
const HEADER_FILE = join(WEB_DIR, "shared", "header.html");
const STAMP_FILE = "build-stamp.txt";
const MAX_EXCHANGES = 5;

/** Slow plugins on a busy machine need no warning, nor do packages that say they are for browsers. */
const QUIET_CHECKS = { bundlerTimings: false, moduleLevelDirective: false };

/** Pages of the service: folders under web/, each with an index.html. */
const PAGES = [
  "account",
  "console",
  "docs",
  "embed",
  "home",
  "local",
  "mark",
  "not-found",
  "preview",
  "realtime",
  "run",
] as const;
/** The page of the command line, where the service's other pages are not. */
const LONE_PAGE = "run";
/** The menu of the header. */
const MENU = / *<button class="site-menu-button"[\s\S]*<\/nav>\n/;
/** Pages that other pages show in frames, where they have no header. */
const FRAMED_PAGES: readonly string[] = ["embed", "mark", "preview"];

export interface BuildWebOptions {
  /** Folder that receives `<page>/index.html` and `assets/`, which all pages share. Made if missing. Default: the one
   *  from which the api serves them. */
  outDir?: string;
}

/** Builds the pages, and the one that hosts of assistants show, unless they are up to date. Returns whether anything
 *  was built. The folder is replaced atomically. Throws the errors of the bundlers. */
export async function buildWeb({ outDir = WEB_DIST }: BuildWebOptions = {}): Promise<{ built: boolean }> {
  const stamp = await sourceStamp();
  const speakingFace = await buildSpeakingFace(stamp);
  if ((await readFile(join(outDir, STAMP_FILE), "utf8").catch(() => "")) === stamp) return speakingFace;
  // Loaded lazily: it takes half a second.
  const vite = await import("vite");
  const fresh = join(dirname(outDir), `.dist-${process.pid}`);
  try {
    const input = Object.fromEntries(PAGES.map((page) => [page, join(WEB_DIR, page, "index.html")]));
    await vite.build(buildConfig({ root: WEB_DIR, outDir: fresh, input, filesPrefix: ROOT_PLACEHOLDER }));
    await compressFolder(fresh, outDir);
    await buildWidget(fresh);
    // Its name stays when its content changes: the one of the former build is another script.
    await compressFolder(fresh);
    await writeFile(join(fresh, STAMP_FILE), stamp);
    await exchange(fresh, outDir);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return { built: true };
}

/** Replaces a folder by another, also during concurrent builds. */
async function exchange(fresh: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await rm(target, { recursive: true, force: true });
    try {
      return await rename(fresh, target);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (attempt === MAX_EXCHANGES || (code !== "ENOTEMPTY" && code !== "EEXIST")) throw error;
    }
  }
}

/** Builds the page for benchmarks and tests into `outDir`. */
export async function buildMeasurePage(outDir: string): Promise<void> {
  const vite = await import("vite");
  await vite.build(buildConfig({ root: join(WEB_DIR, "measure"), outDir, filesPrefix: "./" }));
}

interface BuildConfigOptions {
  root: string;
  outDir: string;
  /** HTML files by name. Default: the index.html of `root`. */
  input?: Record<string, string>;
  /** What comes before the paths of files in HTML. */
  filesPrefix: string;
}

function buildConfig({ root, outDir, input, filesPrefix }: BuildConfigOptions): InlineConfig {
  return {
    configFile: false,
    logLevel: "warn",
    root,
    experimental: {
      // Scripts and styles find what they load beside themselves.
      renderBuiltUrl: (fileName, { hostType }) => (hostType === "html" ? filesPrefix + fileName : { relative: true }),
    },
    publicDir: false,
    plugins: [sharedMarkup(), savedFaceTemplate(WEB_DIR, sharedMarkup({ hasHeader: false }))],
    // Workers load parts of themselves later.
    worker: { format: "es", rolldownOptions: { checks: QUIET_CHECKS } },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2022",
      // The pages' Content-Security-Policy allows neither inline scripts nor data: addresses.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 2000,
      rolldownOptions: { checks: QUIET_CHECKS, ...(input && { input, output: { codeSplitting: CHUNK_GROUPS } }) },
    },
  };
}

/** Puts what the head and the body of every page begin with into it. */
function sharedMarkup({ hasHeader = true } = {}): Plugin {
  return {
    name: "shared-markup",
    transformIndexHtml: {
      order: "pre",
      handler: async (html, { filename }) => {
        const name = basename(dirname(filename));
        const head = await readFile(HEAD_FILE, "utf8");
        const header = hasHeader ? await headerOf(name) : "";
        return html.replace("<head>\n", `<head>\n${head}`).replace("<body>\n", `<body>\n${header}`);
      },
    },
  };
}

/** The header as a page has it. */
async function headerOf(page: string): Promise<string> {
  const header = (await readFile(HEADER_FILE, "utf8")).replace(`/${page}"`, `/${page}" aria-current="page"`);
  if (page === LONE_PAGE) return header.replace(" hidden", "").replace(MENU, "");
  if (!FRAMED_PAGES.includes(page)) return header.replace(" hidden", "");
  return `${header}    <script type="module" src="../shared/header.ts"></script>\n`;
}
