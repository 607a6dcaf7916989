// The version of the service's programs.
import packageJson from "../package.json" with { type: "json" };

/** As in `package.json`, for example 0.1.0. */
export const VERSION: string = packageJson.version;
