// For the catalogues beside it.
export { pluralIn } from "../../shared/plural.ts";
