/** Another node did not respond, or not to the end. The message goes on from the node's name. */
export class PeerError extends Error {
  override readonly name = "PeerError";
}
