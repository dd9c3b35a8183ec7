/**
 * HTTP messages on their way through the edge: header lists, bodies, and which
 * fields may pass from one hop to the next.
 *
 * @module
 */
export {
  bodyLength,
  type BodyStream,
  type Bytes,
  bytesOf,
  discardBody,
  isStream,
  isText,
  MAX_CACHED_TEXT_BYTES,
  MAX_TEXT_BYTES,
  type MemoryBody,
  toMemoryBody,
} from "./body.ts";
export { KeptBodies } from "./kept_bodies.ts";
export {
  checkOnce,
  findHeader,
  type Header,
  type HeaderList,
  isChecked,
  isFieldName,
  isSendable,
  joinedHeader,
  type RequestFields,
} from "./header_list.ts";
export { hopsLeft, MAX_FORWARDS, withOneHopLess } from "./max_forwards.ts";
export {
  endToEndHeaders,
  type Hop,
  isEdgeOwn,
  isLoop,
  makePseudonym,
  requestHeadersFor,
  responseHeadersFrom,
  viaOf,
} from "./message_headers.ts";
export {
  CLIENT_GONE,
  isReading,
  type OriginResponse,
  type PipelineRequest,
  type PipelineResponse,
} from "./messages.ts";
export { ASN_HEADER, COUNTRY_HEADERS, isSpoofable, mayForward } from "./spoofable_headers.ts";
