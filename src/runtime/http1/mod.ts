/**
 * An HTTP/1.1 client: requests over connections that are kept open, with
 * bodies that stream both ways. It does not judge where it connects to.
 *
 * @module
 */
export { readBody } from "./body_reader.ts";
export { ByteReader } from "./byte_reader.ts";
export {
  type ConnectionTimes,
  Http1Connection,
  readFinalHead,
  type WireAnswer,
  type WireRequest,
} from "./connection.ts";
export { ConnectionPool } from "./connection_pool.ts";
export { Deadline, Deadlines, type Timers } from "./deadlines.ts";
export { OutboundError, type OutboundErrorCode } from "./errors.ts";
export { type LazySignal, resolveSignal, SIGNAL_DELAY_MS } from "./exchange_watch.ts";
export { formatRequestHead, type HeaderList, type ResponseHead } from "./head.ts";
export type { WholeBody } from "./byte_reader.ts";
export { WholeAnswer } from "./whole_answer.ts";
export { announceBody, isRepeatable } from "./request_body.ts";
