// Draws pictures without their ground, with WebGL 2. One pass makes transparent what is like the key colour; two more
// cut the edges back, if they are to be.
import { chromaOf, distanceScale, type Rgb } from "./key-colour.ts";

/** What a widget's options say: see shared/widget-options.ts. */
export interface KeySettings {
  /** Up to this distance from the key colour all is transparent. Grey is 0.5 away, the opposite colour 1. */
  similarity: number;
  /** Distance over which it becomes opaque. */
  smoothness: number;
  /** Distance over which the tint of the key colour is taken away. */
  spill: number;
  /** Px of the picture by which opaque parts shrink. */
  erodePx: number;
}

export type Size = readonly [widthPx: number, heightPx: number];

export type KeySource = HTMLVideoElement | HTMLCanvasElement | HTMLImageElement;

/** A triangle that covers everything. */
const CORNERS = `#version 300 es
uniform bool isUpsideDown;
out vec2 at;
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 2 : 0, gl_VertexID == 2 ? 2 : 0);
  gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
  at = isUpsideDown ? vec2(corner.x, 1.0 - corner.y) : corner;
}`;

// Streams have chroma at half the resolution of luma, so distances are those of a few pixels together. A colour keeps
// its brightness when its tint is taken away.
const KEY = `#version 300 es
precision highp float;
uniform sampler2D picture;
uniform vec2 key;
uniform float scale;
uniform float similarity;
uniform float smoothness;
uniform float spill;
in vec2 at;
out vec4 shown;
float lumaOf(vec3 colour) {
  return dot(colour, vec3(0.2126, 0.7152, 0.0722));
}
vec2 chromaOf(vec3 colour) {
  return (colour.br - lumaOf(colour)) / vec2(1.8556, 1.5748);
}
vec2 chromaAt(vec2 shift) {
  return chromaOf(texture(picture, at + shift / vec2(textureSize(picture, 0))).rgb);
}
void main() {
  vec3 colour = texture(picture, at).rgb;
  vec2 chroma = chromaOf(colour);
  vec2 around = chromaAt(vec2(-1, -1)) + chromaAt(vec2(1, -1)) + chromaAt(vec2(-1, 1)) + chromaAt(vec2(1, 1));
  float beyond = scale * distance((2.0 * chroma + around) / 6.0, key) - similarity;
  float opacity = smoothstep(0.0, max(smoothness, 0.001), beyond);
  float tint = spill > 0.0 ? 1.0 - smoothstep(0.0, spill, beyond) : 0.0;
  vec2 direction = key / max(length(key), 0.001);
  chroma -= tint * max(dot(chroma, direction), 0.0) * direction;
  float luma = lumaOf(colour);
  float blue = luma + 1.8556 * chroma.x;
  float red = luma + 1.5748 * chroma.y;
  vec3 plain = vec3(red, (luma - 0.2126 * red - 0.0722 * blue) / 0.7152, blue);
  shown = vec4(clamp(plain, 0.0, 1.0) * opacity, opacity);
}`;

/** The least opacity within a row or column of pixels. */
const SHRINK = `#version 300 es
precision highp float;
uniform sampler2D picture;
uniform vec2 reach;
uniform int steps;
in vec2 at;
out vec4 shown;
void main() {
  vec4 here = texture(picture, at);
  float least = here.a;
  for (int index = 1; index <= steps; index++) {
    vec2 shift = reach * float(index) / float(steps) / vec2(textureSize(picture, 0));
    least = min(least, min(texture(picture, at + shift).a, texture(picture, at - shift).a));
  }
  shown = here * (least / max(here.a, 0.001));
}`;

interface Program {
  program: WebGLProgram;
  at(name: string): WebGLUniformLocation | null;
}

interface Layer {
  texture: WebGLTexture;
  framebuffer: WebGLFramebuffer | null;
}

export class KeyPainter {
  readonly canvas = document.createElement("canvas");
  readonly #gl: WebGL2RenderingContext;
  readonly #settings: KeySettings;
  readonly #key: Program;
  readonly #shrink: Program;
  readonly #picture: Layer;
  /** What the passes after the first one read. */
  readonly #layers: readonly Layer[];

  /** Throws Error if the browser has no WebGL 2. */
  constructor(settings: KeySettings) {
    const gl = this.canvas.getContext("webgl2", { antialias: false, depth: false, stencil: false });
    if (!gl) throw new Error("no WebGL 2");
    this.#gl = gl;
    this.#settings = settings;
    this.#key = link(gl, KEY);
    this.#shrink = link(gl, SHRINK);
    this.#picture = { texture: makeTexture(gl), framebuffer: null };
    this.#layers = settings.erodePx > 0 ? [makeLayer(gl), makeLayer(gl)] : [];
  }

  /** Draws the picture as it is now on the canvas, `scale` times its size, above 0 to 1. Throws DOMException for a
   *  picture of another origin, and Error once the context is lost. */
  paint(source: KeySource, [widthPx, heightPx]: Size, scale: number, keyColour: Rgb): void {
    const gl = this.#gl;
    if (gl.isContextLost()) throw new Error("the WebGL context is lost");
    this.#resize(Math.ceil(scale * widthPx), Math.ceil(scale * heightPx));
    gl.bindTexture(gl.TEXTURE_2D, this.#picture.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, source);
    const { similarity, smoothness, spill, erodePx } = this.#settings;
    const key = chromaOf(keyColour);
    const program = this.#key;
    const [first, second] = this.#layers;
    this.#begin(program, this.#picture, first, true);
    gl.uniform2f(program.at("key"), key[0], key[1]);
    this.#setNumbers(program, { scale: distanceScale(key), similarity, smoothness, spill });
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    if (!first || !second) return;
    this.#cutBack(first, second, scale * erodePx, 0);
    this.#cutBack(second, undefined, 0, scale * erodePx);
  }

  /** Frees what it holds. Idempotent. */
  close(): void {
    this.#gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  #cutBack(from: Layer, to: Layer | undefined, xPx: number, yPx: number): void {
    const gl = this.#gl;
    this.#begin(this.#shrink, from, to, false);
    gl.uniform2f(this.#shrink.at("reach"), xPx, yPx);
    gl.uniform1i(this.#shrink.at("steps"), Math.ceil(xPx + yPx));
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /** `to`: undefined is the canvas. */
  #begin({ program, at }: Program, from: Layer, to: Layer | undefined, isUpsideDown: boolean): void {
    const gl = this.#gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, to?.framebuffer ?? null);
    gl.useProgram(program);
    gl.bindTexture(gl.TEXTURE_2D, from.texture);
    gl.uniform1i(at("isUpsideDown"), Number(isUpsideDown));
  }

  #setNumbers({ at }: Program, numbers: Readonly<Record<string, number>>): void {
    for (const [name, value] of Object.entries(numbers)) this.#gl.uniform1f(at(name), value);
  }

  #resize(widthPx: number, heightPx: number): void {
    const gl = this.#gl;
    const { canvas } = this;
    if (canvas.width === widthPx && canvas.height === heightPx) return;
    Object.assign(canvas, { width: widthPx, height: heightPx });
    gl.viewport(0, 0, widthPx, heightPx);
    for (const { texture } of this.#layers) {
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, widthPx, heightPx, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    }
  }
}

function makeTexture(gl: WebGL2RenderingContext): WebGLTexture {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.LINEAR);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
  return texture;
}

function makeLayer(gl: WebGL2RenderingContext): Layer {
  const texture = makeTexture(gl);
  const framebuffer = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  return { texture, framebuffer };
}

/** Throws Error with the driver's words. */
function link(gl: WebGL2RenderingContext, fragments: string): Program {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, CORNERS],
    [gl.FRAGMENT_SHADER, fragments],
  ] as const) {
    const shader = gl.createShader(type);
    if (!shader) throw new Error("the WebGL context is lost");
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? "no program");
  const places = new Map<string, WebGLUniformLocation | null>();
  const at = (name: string): WebGLUniformLocation | null => {
    if (!places.has(name)) places.set(name, gl.getUniformLocation(program, name));
    return places.get(name) ?? null;
  };
  return { program, at };
}
