// Bars on a canvas, with a cursor for mouse and keyboard. A canvas says nothing to a screen reader: what the cursor is on
// is read by `onRead`, and the same numbers are in a table beside the chart.
import { type KeyboardEvent, type ReactElement, useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface BarChartProps {
  /** Read aloud when the chart gets the focus. */
  label: string;
  /** One for each bar. */
  names: readonly string[];
  values: readonly number[];
  /** Writes a value at the axis. */
  write(value: number): string;
  /** The bar that the cursor is on; null for none. */
  index: number | null;
  onRead(index: number | null): void;
}

const HEIGHT_PX = 240;
/** Least room for a name below its bar. */
const NAME_PX = 72;
const SHORT_NAME = 12;
/** What changes the colours. */
const THEMES = ["(prefers-color-scheme: dark)", "(forced-colors: active)"];

export default function BarChart({ label, names, values, write, index, onRead }: BarChartProps): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const reading = useRef(onRead);
  reading.current = onRead;

  useEffect(() => {
    const box = host.current;
    if (!box) return;
    const draw = () => {
      plot.current?.destroy();
      const read = (at: number | null | undefined) => reading.current(at ?? null);
      plot.current = new uPlot(optionsOf(box, names, write, read), dataOf(values), box);
    };
    draw();
    const resizing = new ResizeObserver(() => plot.current?.setSize({ width: box.clientWidth, height: HEIGHT_PX }));
    resizing.observe(box);
    const themes = THEMES.map((query) => matchMedia(query));
    for (const theme of themes) theme.addEventListener("change", draw);
    return () => {
      resizing.disconnect();
      for (const theme of themes) theme.removeEventListener("change", draw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [names, values, write]);

  function move(event: KeyboardEvent): void {
    const last = values.length - 1;
    const from = index ?? (event.key === "ArrowLeft" ? last + 1 : -1);
    const steps: Record<string, number> = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const at = Math.min(last, Math.max(0, to));
    onRead(at);
    const shown = plot.current;
    shown?.setCursor({ left: shown.valToPos(at, "x"), top: shown.valToPos(values[at], "y") }, false);
  }

  return (
    <div
      aria-label={label}
      aria-valuemax={values.length - 1}
      aria-valuemin={0}
      aria-valuenow={index ?? 0}
      aria-valuetext={names[index ?? 0]}
      className="chart"
      onKeyDown={move}
      ref={host}
      role="slider"
      tabIndex={0}
    />
  );
}

function dataOf(values: readonly number[]): uPlot.AlignedData {
  return [values.map((_, at) => at), [...values]];
}

function optionsOf(
  box: HTMLElement,
  names: readonly string[],
  write: (value: number) => string,
  read: (at: number | null | undefined) => void,
): uPlot.Options {
  const [accent, quiet, line] = ["--accent", "--quiet", "--line"].map((name) => colourOf(box, name));
  const { fontFamily } = getComputedStyle(box);
  const axis = { stroke: quiet, font: `12px ${fontFamily}`, grid: { stroke: line, width: 1 }, ticks: { show: false } };
  return {
    width: box.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false, range: () => [-0.6, names.length - 0.4] },
      // From zero, also where a refund goes below it.
      y: { range: (_, least, most) => [Math.min(0, least), Math.max(1, most * 1.05)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        splits: (chart) => {
          const step = Math.max(1, Math.ceil((names.length * NAME_PX) / Math.max(NAME_PX, chart.width)));
          return names.flatMap((_, at) => (at % step === 0 ? [at] : []));
        },
        values: (_, splits) => splits.map((at) => shorten(names[at])),
      },
      { ...axis, size: 64, values: (_, splits) => splits.map(write) },
    ],
    series: [{}, { fill: accent, width: 0, paths: uPlot.paths.bars?.({ size: [0.7, 64] }), points: { show: false } }],
    hooks: { setCursor: [(chart) => read(chart.cursor.idx)] },
  };
}

/** The colour of a token as this theme has it: a canvas does not know `light-dark()`. */
function colourOf(box: HTMLElement, token: string): string {
  const probe = box.appendChild(document.createElement("span"));
  probe.style.color = `var(${token})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function shorten(name: string): string {
  return name.length <= SHORT_NAME ? name : `${name.slice(0, SHORT_NAME - 1)}…`;
}
