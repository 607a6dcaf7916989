import t from "tap";
import type { Agent, Pricing } from "../../../../../sdk/client/index.ts";
import { filmModels, isSize, normalSize } from "../../../../../web/console/views/films/film-order.ts";

t.test("a size is one that the service films: even, and neither too small nor too large", async (t) => {
  for (const size of ["1280x720", "256x256", "1920x1080", "1080x1920"]) t.equal(isSize(size), true, size);
  for (const size of ["1281x720", "254x400", "1922x1080", "1082x1082", "720", "720x", "x720", "1e3x720", ""]) {
    t.equal(isSize(size), false, size);
  }
});

t.test("a size is understood as people write it", async (t) => {
  for (const text of ["1280x720", " 1280 × 720 ", "1280X720", "1280 * 720"])
    t.equal(normalSize(text), "1280x720", text);
});

t.test("the models of a film are those of the agent that have a price", async (t) => {
  const agent = { supported_models: ["essence-2", "expression-1", "toString"] } as Agent;
  const pricing = { talking_video: { rates: { "essence-2": 4, "expression-1": 0 } } } as unknown as Pricing;
  t.same(filmModels(agent, pricing), [{ name: "essence-2", rate: 4 }]);
  t.same(filmModels(agent, undefined), []);
  t.same(filmModels(undefined, pricing), []);
});
