/**
 * The OAuth 2.0 device authorization grant (RFC 8628), by which a tool without
 * a browser gets an access token for a workspace:
 *
 * 1. The tool posts to `/v1/device` and shows the person `user_code` and
 *    `verification_uri`.
 * 2. The person signs in there and approves for one of their workspaces, or
 *    denies: `DeviceLoginService.find()`, `approve()`, `deny()`.
 * 3. The tool polls `/v1/device/token` every `interval` seconds until it gets
 *    the token, once.
 *
 * @module
 */
export { DeviceLoginService } from "./device_login_service.ts";
export { GrantStore } from "./grant_store.ts";
export { answerDeviceGrant, bindDeviceRoutes } from "./routes.ts";
export type { DeviceGrant, DeviceRequest, PollOutcome } from "./types.ts";
