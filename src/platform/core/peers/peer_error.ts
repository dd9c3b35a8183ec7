/** Another node did not respond, or not to the end. The message continues from the node's name. */
export class PeerError extends Error {
  override readonly name = "PeerError";
}
