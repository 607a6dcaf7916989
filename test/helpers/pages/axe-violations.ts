// What axe finds wrong with a page, for tests.
export { axeViolations } from "../../../lab/page-sheet/axe-violations.ts";
