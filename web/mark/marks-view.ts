// The image with its marks: thirty handles to drag, and the lines they make, so that the face is recognizable.
import {
  FACE_MARK_NAMES,
  type FaceMark,
  type FaceMarkName,
  type FaceMarks,
} from "../../src/face/portrait/face-marks.ts";
import {
  LEFT_EYE,
  LOWER_LIP_INNER,
  pointsAt,
  RIGHT_EYE,
  UPPER_LIP_INNER,
} from "../../src/face/portrait/face-points.ts";
import { meshFromMarks } from "../../src/face/portrait/mesh-from-marks.ts";
import { FACE_OVAL, LOWER_LIP_OUTER, UPPER_LIP_OUTER } from "../../src/face/portrait/mesh-points.ts";
import type { FaceMarking } from "./marks-client.ts";

const SVG = "http://www.w3.org/2000/svg";
/** Radius of a handle, as a share of the image's shorter side. */
const HANDLE_SHARE = 0.011;
const LINES = [
  [...FACE_OVAL, FACE_OVAL[0]],
  LEFT_EYE.brow,
  RIGHT_EYE.brow,
  [...LEFT_EYE.upper, ...LEFT_EYE.lower.toReversed()],
  [...RIGHT_EYE.upper, ...RIGHT_EYE.lower.toReversed()],
  [...UPPER_LIP_OUTER, ...LOWER_LIP_OUTER.toReversed()],
  [...UPPER_LIP_INNER, ...LOWER_LIP_INNER.toReversed()],
];
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** Arrow keys with Shift go this many px. */
const BIG_STEP_PX = 10;

export interface MarksView {
  /** The marks as they lie now. */
  readonly marks: FaceMarks;
}

/** Fills an SVG element. `onPoint` is told what the touched mark belongs on. */
export function showMarks(
  svg: SVGSVGElement,
  { imageUrl, widthPx, heightPx, where }: FaceMarking,
  start: FaceMarks,
  onPoint: (text: string) => void,
): MarksView {
  const marks: Record<FaceMarkName, FaceMark> = { ...start };
  svg.setAttribute("viewBox", `-0.5 -0.5 ${widthPx} ${heightPx}`);
  svg.append(element("image", { href: imageUrl, x: -0.5, y: -0.5, width: widthPx, height: heightPx }));
  const path = element("path", { class: "lines" });
  svg.append(path);
  const drawLines = () => path.setAttribute("d", linesOf(marks));
  const radius = HANDLE_SHARE * Math.min(widthPx, heightPx);
  for (const name of FACE_MARK_NAMES) {
    const label = `${name.replaceAll("_", " ")}: ${where[name]}`;
    const handle = element("circle", { class: "handle", r: radius, tabindex: 0, role: "button", "aria-label": label });
    const title = element("title", {});
    title.textContent = label;
    handle.append(title);
    const place = ({ x, y }: FaceMark) => {
      const round = (value: number, limit: number) => Math.round(10 * Math.min(limit - 1, Math.max(0, value))) / 10;
      marks[name] = { x: round(x, widthPx), y: round(y, heightPx) };
      handle.setAttribute("cx", String(marks[name].x));
      handle.setAttribute("cy", String(marks[name].y));
      drawLines();
    };
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      onPoint(label);
    });
    handle.addEventListener("pointermove", (event) => {
      if (handle.hasPointerCapture(event.pointerId)) place(pointIn(svg, event));
    });
    handle.addEventListener("focus", () => onPoint(label));
    handle.addEventListener("keydown", (event) => {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      const size = event.shiftKey ? BIG_STEP_PX : 1;
      place({ x: marks[name].x + size * step[0], y: marks[name].y + size * step[1] });
    });
    svg.append(handle);
    place(marks[name]);
  }
  return {
    get marks() {
      return { ...marks };
    },
  };
}

function linesOf(marks: FaceMarks): string {
  const mesh = meshFromMarks(marks);
  if (!mesh.every(Number.isFinite)) return "";
  return LINES.map(
    (line) =>
      `M${pointsAt(mesh, line)
        .map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`)
        .join("L")}`,
  ).join("");
}

/** Where a pointer is, in px of the image. */
function pointIn(svg: SVGSVGElement, event: PointerEvent): FaceMark {
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM()?.inverse());
  return { x, y };
}

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
