// The interface as a page to read and to try: our own OpenAPI document, shown by a kept package from our own server.
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
  // Nothing leaves for a third party, and a secret that was typed in is forgotten with the tab.
  validatorUrl: null,
  persistAuthorization: false,
});
