// What a character of the gallery is described by.
import type { FaceShape } from "./face-geometry.ts";

/** Eyes and brows. */
export interface EyePaint {
  iris: string;
  brow: string;
  lashColour: string;
  /** Thickness of the lash line at the outer corner, px. */
  lashes: number;
  /** Height of the lid crease above the upper lid, px. */
  crease: number;
  /** Tint of the upper lid; none if left out. */
  lid?: string;
}

export type HairStyle =
  | "long-waves"
  | "bob"
  | "crop"
  | "afro"
  | "curls"
  | "quiff"
  | "bun"
  | "fringe"
  | "shaved"
  | "headscarf"
  | "lob";
export type OutfitStyle = "crew" | "v-neck" | "shirt" | "suit" | "hoodie" | "turtleneck" | "cardigan";

/** A person of the gallery: what is drawn and what the catalogue says. */
export interface PersonStyle {
  id: string;
  name: string;
  gender: "female" | "male" | "neutral";
  /** Apparent age in years. */
  age: number;
  tags: string[];
  /** Preset voice. */
  voice: string;
  /** Changes to AVERAGE_FACE. */
  face: { [Key in keyof FaceShape]?: FaceShape[Key] extends number ? number : Partial<FaceShape[Key]> };
  skin: string;
  lips: string;
  blush: number;
  eyes: EyePaint;
  hair: { style: HairStyle; colour: string; seed: number };
  /** Beard cover 0 none .. 1 full, with its colour. */
  beard?: { cover: "stubble" | "short"; colour: string };
  outfit: { style: OutfitStyle; colour: string; accent: string };
  background: [inner: string, outer: string];
  freckles?: boolean;
  /** Strength of age lines, 0..1. */
  lines?: number;
  earrings?: string;
}
