/**
 * Thrown if another node did not respond, or its response is incomplete. The message starts with
 * the node's name.
 */
export class PeerError extends Error {
  override readonly name = "PeerError";
}
