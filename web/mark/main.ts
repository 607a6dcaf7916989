// The page on which a person places face marks if face detection is unsure.
import { averageMarks } from "../../src/face/portrait/face-marks.ts";
import { loadMarking, saveMarks } from "./marks-client.ts";
import { showMarks } from "./marks-view.ts";

const START_HINT = "Drag each point to where it belongs. Select a point to read where it belongs.";
const DONE_HINT = "Thank you. The face is being made from your marks; you can close this page.";
const NOT_WAITING_HINT = "This face no longer needs marks.";
const NO_TOKEN_HINT = "This link is incomplete. Open it exactly as you received it.";

const hint = document.querySelector<HTMLElement>("#hint")!;
const image = document.querySelector<SVGSVGElement>("#image")!;
const save = document.querySelector<HTMLButtonElement>("#save")!;

const address = new URL(`${location.pathname.replace(/\/+$/, "")}/marks`, location.href);
const token = location.hash.slice(1);

async function start(): Promise<void> {
  if (token === "") throw new Error(NO_TOKEN_HINT);
  const marking = await loadMarking(address, token);
  const view = showMarks(image, marking, marking.marks ?? averageMarks(marking), say);
  say(marking.isWaiting ? START_HINT : NOT_WAITING_HINT);
  save.disabled = !marking.isWaiting;
  save.addEventListener("click", async () => {
    save.disabled = true;
    try {
      await saveMarks(address, token, view.marks);
      say(DONE_HINT);
    } catch (error) {
      complain(error);
      save.disabled = false;
    }
  });
}

function say(text: string): void {
  hint.textContent = text;
  hint.classList.remove("wrong");
}

function complain(error: unknown): void {
  hint.textContent = error instanceof Error ? error.message : String(error);
  hint.classList.add("wrong");
}

start().catch(complain);
