/**
 * A deployment compiled for the edge, and the responses that it gives by itself:
 * its routes, files, servers and error pages.
 *
 * @module
 */
export { askServer, type ServerQuestion, type ServerReply } from "./ask_server.ts";
export {
  compileSite,
  compileSiteInTurns,
  ruleCounts,
  type Site,
  type SiteSource,
  withRules,
  withRulesInTurns,
} from "./site.ts";
export { failureResponse, type ImageEndpoint, SiteResponder } from "./site_responder.ts";
