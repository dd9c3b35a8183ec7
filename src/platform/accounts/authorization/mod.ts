/**
 * Programs that a person lets in by a page: they register (RFC 7591), send the person to
 * `/oauth/authorize`, get a code there, and exchange it for tokens that are renewed each hour.
 *
 * @module
 */
export {
  type Approval,
  AuthorizationService,
  type Scope,
  scopeOf,
} from "./authorization_service.ts";
export { GrantRecords } from "./grants.ts";
export {
  isOwnResource,
  isRegistered,
  MAX_CLIENT_ID,
  type RegisteredClient,
} from "./registration.ts";
export { bindAuthorizationRoutes } from "./routes.ts";
