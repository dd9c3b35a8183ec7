/**
 * The typed client of the HTTP API, used by the command-line tool.
 *
 * ```ts
 * const client = createClient({ baseUrl: "http://localhost:8787", token });
 * const project = await client.call(endpoints.getProject, { params: { project: "blog" } });
 * ```
 *
 * @module
 */
export {
  type Answer,
  type CallInput,
  changeOf,
  type ChangeOutcome,
  type Client,
  type ClientOptions,
  createClient,
  type Exchange,
} from "./client.ts";
export {
  type DeviceLogin,
  type DeviceLoginOptions,
  type PollAnswer,
  startDeviceLogin,
} from "./device_login.ts";
export { type AskedKey, exchangeToken } from "./exchange_token.ts";
export {
  ApiError,
  ContractError,
  CutUploadError,
  NoAnswerError,
  UnreachableError,
} from "./errors.ts";
export { followEvents } from "./events.ts";
export { fetchOctets, importEvents, queryEvents, readLines } from "./query_events.ts";
export { type Waits, withPatience } from "./patience.ts";
export { collectPages, type PageOf } from "./collect_pages.ts";
export { type BlobSource, uploadBlobs, type UploadOptions } from "./upload_blobs.ts";
