// A face that lives in this tab: nothing leaves it.
import { open } from "@open-avatar/engine";

const face = document.querySelector("#face");
const speech = document.querySelector("#speech");
const status = document.querySelector("[role=status]");
let avatar;

face.addEventListener("change", () => {
  tell("Opening …", async () => {
    await avatar?.close();
    avatar = await open(face.files[0]);
    // A canvas shows one face.
    const canvas = document.createElement("canvas");
    canvas.setAttribute("aria-label", "A generated face");
    document.querySelector("canvas").replaceWith(canvas);
    await avatar.show(canvas);
    speech.disabled = false;
  });
});

speech.addEventListener("change", () => {
  avatar.stop();
  tell("Speaking …", () => avatar.speak(speech.files[0]));
});

async function tell(what, work) {
  status.textContent = what;
  try {
    await work();
    status.textContent = "";
  } catch (error) {
    if (error.name !== "AbortError") status.textContent = error.message;
  }
}
