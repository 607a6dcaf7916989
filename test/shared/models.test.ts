import t from "tap";
import { FAMILIES, MODEL_CATALOGUE, resolveModel } from "../../shared/models.ts";

t.test("every family resolves to itself and has a catalogue entry", async (t) => {
  for (const family of FAMILIES) {
    t.same(resolveModel(family), { family, name: family, provider: null });
    t.equal(MODEL_CATALOGUE[family].family, family);
  }
});

t.test("shorthands resolve to the first generation", async (t) => {
  t.match(resolveModel("essence"), { family: "essence-1", name: "essence-1" });
  t.match(resolveModel("expression"), { family: "expression-1", name: "expression-1" });
});

t.test("a force-tier slug inherits its family and pins a provider", async (t) => {
  t.match(resolveModel("essence-2-cpu"), { family: "essence-2", name: "essence-2-cpu", provider: "cpu" });
  t.match(resolveModel("expression-2-gpu"), { family: "expression-2", provider: "cuda" });
  t.match(resolveModel("essence-2-ane"), { family: "essence-2", provider: "ane" });
});

t.test("names that are not a model resolve to null, including names of Object's prototype", async (t) => {
  for (const name of ["", "auto", "essence-3", "constructor", "__proto__", "toString"])
    t.equal(resolveModel(name), null, name);
});
