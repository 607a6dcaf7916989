// What a bake could not make as its owner would expect, for the owner to know.

/** `blurred-backdrop`: the picture shows too little for its canvas. `hidden-eyes`: dark lenses lie over the eyes. */
export type BakeNote = "blurred-backdrop" | "hidden-eyes";

/** One sentence. `canvas`: what the canvas is called, such as 16:9. */
export function describeBakeNote(note: BakeNote, canvas: string): string {
  switch (note) {
    case "blurred-backdrop":
      return `The picture shows too little for ${canvas}: a blurred backdrop surrounds it.`;
    case "hidden-eyes":
      return "Dark lenses hide the eyes, so the avatar does not blink.";
  }
}
