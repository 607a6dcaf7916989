// Wires the operator's overview into the api.
import type { Module } from "../kernel/module.ts";
import { type OperatorServices, operatorRoutes } from "./operator-routes.ts";

export function createOperatorModule(services: OperatorServices): Module {
  return {
    routes: operatorRoutes(services),
    fields: {},
    jobs: [],
    loops: [],
    close: async () => undefined,
  };
}
