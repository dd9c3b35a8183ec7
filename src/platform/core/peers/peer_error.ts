/**
 * Another node did not respond, or its response is incomplete. The node's name precedes the
 * message.
 */
export class PeerError extends Error {
  override readonly name = "PeerError";
}
