// One mass of hair: a filled outline with strands that run between guide lines.
import { mix } from "./colour.ts";
import { blend, distance, type Point, smoothPath } from "./curves.ts";
import { CENTRE_X, type FaceGeometry } from "./face-geometry.ts";
import { blurred, clip, element, ellipse, group, line, shape } from "./svg.ts";

/** A point relative to the face: u in half face widths from the middle, v 0 at the hairline .. 1 at the chin. */
export type FacePoint = readonly [u: number, v: number];

/** Draws with the colour, chance and scale of one head. */
export class HairBrush {
  readonly colour: string;
  readonly random: () => number;
  private readonly geometry: FaceGeometry;
  private clips = 0;
  private readonly prefix: string;

  /** `prefix` keeps the ids of this brush apart from those of others in the image. */
  constructor(geometry: FaceGeometry, colour: string, random: () => number, prefix: string) {
    this.geometry = geometry;
    this.colour = colour;
    this.random = random;
    this.prefix = prefix;
  }

  /** Canvas position of a face point. */
  place([u, v]: FacePoint): Point {
    const { topY, height, halfWidth } = this.geometry.shape;
    return [CENTRE_X + u * halfWidth, topY + v * height];
  }

  /** A mass of hair. Strands run along blends of neighbouring guides, which all have the same number of points. `tone`
   *  darkens (negative) or lightens the whole, -1..1. */
  mass(outline: readonly FacePoint[], guides: readonly (readonly FacePoint[])[], strands: number, tone = 0): string {
    const id = `${this.prefix}${this.clips++}`;
    const points = outline.map((point) => this.place(point));
    const base = this.toned(tone);
    const lines: string[] = [];
    for (let index = 0; index < strands; index++) {
      const at = this.random() * (guides.length - 1);
      const low = Math.min(guides.length - 2, Math.floor(at));
      const [from, to] = [guides[low] as readonly FacePoint[], guides[low + 1] as readonly FacePoint[]];
      const strand = from.map((point, step) => {
        const mixed = blend(this.place(point), this.place(to[step] as FacePoint), at - low);
        return [mixed[0] + (this.random() - 0.5) * 5, mixed[1] + (this.random() - 0.5) * 5] as const;
      });
      const lightness = this.random();
      const tint =
        lightness > 0.55
          ? mix(base, "#ffe2b8", (lightness - 0.5) * 0.55)
          : mix(base, "#050308", (0.6 - lightness) * 0.75);
      lines.push(line(strand, tint, 1.2 + this.random() * 2.6, { opacity: 0.34 + this.random() * 0.3 }));
    }
    return (
      clip(id, points) +
      shape(points, base, { stroke: base, "stroke-width": 2, "stroke-linejoin": "round" }) +
      group(lines.join(""), { "clip-path": `url(#${id})` })
    );
  }

  /** A soft shine across hair, along a line of face points. */
  shine(along: readonly FacePoint[], widthPx: number, opacity = 0.3): string {
    return line(
      along.map((point) => this.place(point)),
      mix(this.colour, "#fff2d8", 0.62),
      widthPx,
      { opacity, ...blurred(8) },
    );
  }

  /** The shadow that hair of this outline throws on the face. */
  castShadow(outline: readonly FacePoint[]): string {
    const points = outline.map((point) => {
      const [x, y] = this.place(point);
      return [x + 3, y + 12] as const;
    });
    return group(shape(points, "#2a0f0c", { opacity: 0.34, ...blurred(8) }), { "clip-path": "url(#head)" });
  }

  /** Curls scattered over an area: small coils with a lit upper side. */
  curls(inside: (point: FacePoint) => boolean, count: number, radiusPx: number): string {
    const drawn: string[] = [];
    const kept: Point[] = [];
    for (let tries = 0; tries < count * 6 && kept.length < count; tries++) {
      const face: FacePoint = [(this.random() - 0.5) * 3.2, -0.5 + this.random() * 1.7];
      if (!inside(face)) continue;
      const centre = this.place(face);
      if (kept.some((other) => distance(other, centre) < radiusPx * 0.62)) continue;
      kept.push(centre);
    }
    // From the back (top) to the front, so that lower curls overlap upper ones.
    kept.sort((a, b) => a[1] - b[1]);
    for (const [x, y] of kept) {
      const radius = radiusPx * (0.75 + this.random() * 0.5);
      const turn = this.random() * Math.PI * 2;
      const coil = (scale: number, sweep: number): Point[] =>
        Array.from({ length: 9 }, (_, step) => {
          const angle = turn + (step / 8) * sweep;
          const reach = radius * scale * (1 - step * 0.045);
          return [x + Math.cos(angle) * reach, y + Math.sin(angle) * reach * 0.92] as const;
        });
      const tone = mix(this.colour, "#060305", this.random() * 0.35);
      drawn.push(
        ellipse([x, y], radius, radius * 0.95, tone) +
          line(coil(0.86, 5), mix(tone, "#020102", 0.55), radius * 0.16, { opacity: 0.6 }) +
          line(coil(0.62, 4.4), mix(tone, "#ffdfb8", 0.24), radius * 0.15, { opacity: 0.5 }) +
          ellipse([x - radius * 0.2, y - radius * 0.38], radius * 0.42, radius * 0.22, mix(tone, "#ffe8c8", 0.34), {
            opacity: 0.42,
            ...blurred(2),
          }),
      );
    }
    return drawn.join("");
  }

  /** Cloth around an opening: everything between the two outlines, with soft folds along the guides. */
  ring(outer: readonly FacePoint[], opening: readonly FacePoint[], folds: readonly (readonly FacePoint[])[]): string {
    const id = `${this.prefix}${this.clips++}`;
    const path = [outer, opening]
      .map((outline) =>
        smoothPath(
          outline.map((point) => this.place(point)),
          true,
        ),
      )
      .join("");
    const [from, to] = [folds[0] as readonly FacePoint[], folds[1] as readonly FacePoint[]];
    const creases = [0, 0.25, 0.5, 0.75, 1].map((t) => {
      const crease = from.map((point, step) => blend(this.place(point), this.place(to[step] as FacePoint), t));
      const lit = crease.map(([x, y]) => [x - 3, y - 9] as const);
      return (
        line(crease, mix(this.colour, "#1a0510", 0.5), 8, { opacity: 0.42, ...blurred(4) }) +
        line(lit, mix(this.colour, "#ffffff", 0.5), 6, { opacity: 0.32, ...blurred(4) })
      );
    });
    const edge = opening.map((point) => this.place(point));
    return (
      element("clipPath", { id }, element("path", { d: path, "clip-rule": "evenodd" })) +
      element("path", { d: path, fill: this.colour, "fill-rule": "evenodd" }) +
      group(
        ellipse(this.place([-0.5, -0.13]), 60, 22, mix(this.colour, "#ffffff", 0.6), { opacity: 0.4, ...blurred(16) }) +
          ellipse(this.place([1.25, 0.5]), 30, 130, mix(this.colour, "#1a0510", 0.6), {
            opacity: 0.4,
            ...blurred(16),
          }) +
          creases.join("") +
          shape(edge, "none", {
            stroke: mix(this.colour, "#1a0510", 0.35),
            "stroke-width": 10,
            opacity: 0.4,
            ...blurred(4),
          }),
        { "clip-path": `url(#${id})` },
      ) +
      shape(edge, "none", { stroke: mix(this.colour, "#ffffff", 0.22), "stroke-width": 2.4, opacity: 0.8 })
    );
  }

  /** The shadow that the edge of an opening throws on the face inside it. */
  ringShadow(opening: readonly FacePoint[]): string {
    const edge = opening.map((point) => this.place(point));
    return group(shape(edge, "none", { stroke: "#2a0f0c", "stroke-width": 26, opacity: 0.4, ...blurred(8) }), {
      "clip-path": "url(#face)",
    });
  }

  private toned(tone: number): string {
    return tone < 0 ? mix(this.colour, "#07040a", -tone) : mix(this.colour, "#ffe9cc", tone);
  }
}
