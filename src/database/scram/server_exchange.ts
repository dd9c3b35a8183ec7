/** @module The server's side of SCRAM-SHA-256. */
import { Buffer } from "node:buffer";
import { type ClientFirst, parseClientFinal, parseClientFirst, ScramError } from "./messages.ts";
import { equalKeys, hmac, type ScramVerifier, sha256 } from "./verifier.ts";

/** The outcome of the client's last message. */
type ScramOutcome =
  | { readonly type: "accepted"; readonly serverFinal: string }
  | { readonly type: "refused" };

/** One exchange: `first()`, then `final()`. Both throw {@link ScramError} for malformed messages. */
export class ScramServerExchange {
  #first: ClientFirst | undefined;
  #serverFirst = "";
  #nonce = "";

  readonly #verifier: ScramVerifier;
  readonly #serverNonce: string;

  /** @param serverNonce random, printable, without commas; at least 18 bytes */
  constructor(verifier: ScramVerifier, serverNonce: string) {
    this.#verifier = verifier;
    this.#serverNonce = serverNonce;
  }

  /** Takes the client's first message and returns the server's. */
  first(message: string): string {
    this.#first = parseClientFirst(message);
    this.#nonce = this.#first.nonce + this.#serverNonce;
    const salt = Buffer.from(this.#verifier.salt).toString("base64");
    this.#serverFirst = `r=${this.#nonce},s=${salt},i=${this.#verifier.iterations}`;
    return this.#serverFirst;
  }

  /** Checks the proof in the client's last message. */
  final(message: string): ScramOutcome {
    const first = this.#first;
    if (first === undefined) throw new ScramError("The first SCRAM message is missing");
    const { withoutProof, binding, nonce, proof } = parseClientFinal(message);
    if (nonce !== this.#nonce) throw new ScramError("The SCRAM nonce does not match");
    if (binding !== Buffer.from(first.gs2Header).toString("base64")) {
      throw new ScramError("The SCRAM channel binding does not match");
    }
    const { storedKey, serverKey } = this.#verifier;
    const signed = `${first.bare},${this.#serverFirst},${withoutProof}`;
    const clientKey = xor(hmac(storedKey, signed), Buffer.from(proof, "base64"));
    if (!equalKeys(sha256(clientKey), storedKey)) return { type: "refused" };
    const signature = Buffer.from(hmac(serverKey, signed)).toString("base64");
    return { type: "accepted", serverFinal: `v=${signature}` };
  }
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, at) => byte ^ (b[at] ?? 0));
}
