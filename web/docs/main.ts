// The REST API as a page to read and to try: Swagger UI with our OpenAPI document, served from our own server.
import "swagger-ui-dist/swagger-ui.css";
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";

SwaggerUI({
  // Relative, like every address of the pages: the service may lie behind a path prefix.
  url: "./openapi.json",
  dom_id: "#interface",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  // No third-party requests; a typed secret is lost when the tab closes.
  validatorUrl: null,
  persistAuthorization: false,
});
