// Whether the host's policy lets media play that are part of the page. It is tried before a film is offered, which
// costs credits.

/** Longest for each try, ms. */
const TRY_MS = 3_000;
/** One sample of silence: WAV, mono, 8 kHz, 8 bits. */
const SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQEAAACAAA==";

/** Never rejects. */
export async function canShowFilms(): Promise<boolean> {
  if (await loads(`data:audio/wav;base64,${SILENCE}`)) return true;
  const bytes = Uint8Array.from(atob(SILENCE), (letter) => letter.charCodeAt(0));
  const address = URL.createObjectURL(new Blob([bytes], { type: "audio/wav" }));
  try {
    return await loads(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}

function loads(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const audio = new Audio();
    const timer = setTimeout(() => resolve(false), TRY_MS);
    const done = (isLoaded: boolean) => {
      clearTimeout(timer);
      resolve(isLoaded);
    };
    audio.addEventListener("loadedmetadata", () => done(true), { once: true });
    audio.addEventListener("error", () => done(false), { once: true });
    audio.preload = "auto";
    audio.src = address;
    audio.load();
  });
}
