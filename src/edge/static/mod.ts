/**
 * The files of a deployment: which one a path names, and how it is served.
 *
 * @module
 */
export { REVALIDATE } from "./cache_control.ts";
export { decideStatic, negotiate } from "./decide.ts";
export { FileServer } from "./file_server.ts";
export {
  type ComputeResolution,
  createFileTables,
  type Resolution,
  SiteContent,
} from "./site_content.ts";
export type { SiteFile, StaticFile } from "./static_file.ts";
