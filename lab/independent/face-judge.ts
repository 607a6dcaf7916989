// A judge of faces that shares nothing with this project: 68 landmarks, seven expressions and a descriptor of who it
// is, by the networks of @vladmandic/face-api (MIT, a development package) in a headless Chromium.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { StartError } from "../../cli/start/start-error.ts";
import { withChromium } from "../bench/with-chromium.ts";

/** Part of an image, px. */
export interface FaceBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface JudgedFace {
  box: FaceBox;
  /** 68 × [x, y], px. */
  landmarks: [number, number][];
  /** Probabilities of neutral, happy, sad, angry, fearful, disgusted and surprised. */
  expressions: Record<string, number>;
  /** 128 numbers; the distance of two says how unlike two people look. .6 is the usual limit for the same one. */
  descriptor: number[];
}

export interface FaceJudge {
  /** The largest face of a PNG, or what lies in `box`; null if there is none. */
  judge(png: Uint8Array, box?: FaceBox): Promise<JudgedFace | null>;
}

/** The page reaches nothing but the package's files: every request of this origin is answered from them. */
const ORIGIN = "http://judge.invalid";
const PAGE = `<!doctype html><script src="/dist/face-api.js"></script>`;

/** Gives `work` a judge. Throws StartError without a Chromium or the package. */
export async function withFaceJudge<T>(work: (judge: FaceJudge) => Promise<T>): Promise<T> {
  const folder = packageFolder();
  return withChromium(async (browser) => {
    const page = await browser.newPage();
    await page.route(`${ORIGIN}/**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === "/") return route.fulfill({ contentType: "text/html", body: PAGE });
      const body = await readFile(join(folder, pathname)).catch(() => null);
      return body ? route.fulfill({ body }) : route.abort();
    });
    await page.goto(`${ORIGIN}/`);
    await page.evaluate(loadNetworks);
    return work({ judge: (png, box) => judge(page, png, box) });
  });
}

function packageFolder(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve("@vladmandic/face-api/package.json"));
  } catch (cause) {
    throw new StartError(
      "@vladmandic/face-api is not installed.",
      "npm ci with development packages brings it.",
      cause,
    );
  }
}

function judge(page: Page, png: Uint8Array, box?: FaceBox): Promise<JudgedFace | null> {
  return page.evaluate(judgeInPage, { base64: Buffer.from(png).toString("base64"), box: box ?? null });
}

/** What the page has of the package. */
interface FaceApi {
  tf: { setBackend(name: string): Promise<unknown>; ready(): Promise<void> };
  nets: {
    tinyFaceDetector: Network & {
      locateFaces(input: HTMLCanvasElement, options: unknown): Promise<{ box: FaceBox }[]>;
    };
    faceLandmark68Net: Network & { detectLandmarks(face: unknown): Promise<{ positions: { x: number; y: number }[] }> };
    faceExpressionNet: Network & { predictExpressions(face: unknown): Promise<Record<string, number>> };
    faceRecognitionNet: Network & { computeFaceDescriptor(face: unknown): Promise<Float32Array> };
  };
  TinyFaceDetectorOptions: new (options: { inputSize: number; scoreThreshold: number }) => unknown;
  Rect: new (x: number, y: number, width: number, height: number) => FaceBox;
  extractFaces(input: HTMLCanvasElement, boxes: FaceBox[]): Promise<HTMLCanvasElement[]>;
}
interface Network {
  loadFromUri(uri: string): Promise<void>;
}

/** Runs in the page. */
async function loadNetworks(): Promise<void> {
  const { faceapi } = globalThis as unknown as { faceapi: FaceApi };
  await faceapi.tf.setBackend("cpu");
  await faceapi.tf.ready();
  const { tinyFaceDetector, faceLandmark68Net, faceExpressionNet, faceRecognitionNet } = faceapi.nets;
  for (const network of [tinyFaceDetector, faceLandmark68Net, faceExpressionNet, faceRecognitionNet]) {
    await network.loadFromUri("/model");
  }
}

/** Runs in the page. */
async function judgeInPage({
  base64,
  box: given,
}: {
  base64: string;
  box: FaceBox | null;
}): Promise<JudgedFace | null> {
  const { faceapi } = globalThis as unknown as { faceapi: FaceApi };
  const image = new Image();
  image.src = `data:image/png;base64,${base64}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  const options = new faceapi.TinyFaceDetectorOptions({ inputSize: 224, scoreThreshold: 0.1 });
  const found = given ? [] : await faceapi.nets.tinyFaceDetector.locateFaces(canvas, options);
  const boxes = found.map(({ box }) => box).sort((a, b) => b.width * b.height - a.width * a.height);
  const box = given ?? boxes[0];
  if (!box) return null;
  const { x, y, width, height } = box;
  const [face] = await faceapi.extractFaces(canvas, [new faceapi.Rect(x, y, width, height)]);
  const { positions } = await faceapi.nets.faceLandmark68Net.detectLandmarks(face);
  const expressions = await faceapi.nets.faceExpressionNet.predictExpressions(face);
  const descriptor = await faceapi.nets.faceRecognitionNet.computeFaceDescriptor(face);
  return {
    box: { x, y, width, height },
    landmarks: positions.map((point) => [x + point.x, y + point.y]),
    expressions: Object.fromEntries(
      Object.entries(expressions).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
    ),
    descriptor: [...descriptor],
  };
}
