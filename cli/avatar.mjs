#!/usr/bin/env node
// Lets the TypeScript command line run under plain Node.
import { register } from "tsx/esm/api";

register();
await import("./avatar.ts");
