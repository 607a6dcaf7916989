import t from "tap";
import { providerEntrySchema, understoodOptions } from "../../../api/providers/provider-entry.ts";
import { PROVIDER_KIND_NAMES, PROVIDER_KINDS } from "../../../shared/provider-kinds.ts";

const isAccepted = (options: unknown) => providerEntrySchema.safeParse({ platform: "openai", options }).success;

t.test("each kind has a model, and a voice if it speaks", async (t) => {
  t.same(PROVIDER_KIND_NAMES, ["llm", "stt", "tts", "realtime"]);
  for (const kind of PROVIDER_KIND_NAMES) {
    t.ok(isAccepted({ [kind]: { model: " m " } }), kind);
    t.notOk(isAccepted({ [kind]: { model: "" } }), kind);
    t.equal(isAccepted({ [kind]: { voice: 5 } }), PROVIDER_KINDS[kind].defaultVoice === undefined, `${kind}.voice`);
  }
  t.ok(isAccepted({ vision: { model: 5 } }), "an option of no kind is stored as it is");
  t.match(understoodOptions({ llm: { model: " m ", voice: 5 }, tts: { voice: "v" } }), {
    llm: { model: "m", voice: undefined },
    tts: { voice: "v" },
  });
});
