// The part of the package that the page uses; it ships no types.
declare module "swagger-ui-dist/swagger-ui.css";

declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  interface Options {
    url: string;
    dom_id: string;
    deepLinking?: boolean;
    docExpansion?: "list" | "full" | "none";
    /** 0 folds the list of schemas, -1 leaves it out. */
    defaultModelsExpandDepth?: number;
    displayRequestDuration?: boolean;
    /** Shows a field to filter by tag. */
    filter?: boolean;
    /** Null asks no validator. */
    validatorUrl?: string | null;
    persistAuthorization?: boolean;
  }
  /** Renders the interface into the element. */
  export default function SwaggerUI(options: Options): unknown;
}
