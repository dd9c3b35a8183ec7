/** @module The client's side of SCRAM-SHA-256, without channel binding. */
import { Buffer } from "node:buffer";
import { parseServerFirst, ScramError } from "./messages.ts";
import { equalKeys, hmac, saltPassword, sha256 } from "./verifier.ts";

/** The GS2 header for no channel binding. */
const GS2_HEADER = "n,,";

/** A server that requires more iterations would keep the client busy for seconds. */
const MAX_ITERATIONS = 1_000_000;

/** One exchange: `first`, `final()`, then `check()`. */
export class ScramClientExchange {
  readonly first: string;
  #serverSignature: Uint8Array | undefined;

  readonly #password: string;
  readonly #nonce: string;

  /** @param nonce random, printable, without commas; at least 18 bytes */
  constructor(password: string, nonce: string) {
    this.#password = password;
    this.#nonce = nonce;
    this.first = `${GS2_HEADER}${this.#bare}`;
  }

  /** PostgreSQL takes the name from the startup message. */
  get #bare(): string {
    return `n=,r=${this.#nonce}`;
  }

  /** Takes the server's first message and returns the client's last. */
  final(serverFirst: string): string {
    const { nonce, salt, iterations } = parseServerFirst(serverFirst);
    if (!nonce.startsWith(this.#nonce) || nonce === this.#nonce) {
      throw new ScramError("The server's SCRAM nonce does not match");
    }
    if (iterations < 1 || iterations > MAX_ITERATIONS) {
      throw new ScramError(`The server asks for ${iterations} SCRAM iterations`);
    }
    const salted = saltPassword(this.#password, {
      salt: new Uint8Array(Buffer.from(salt, "base64")),
      iterations,
    });
    const withoutProof = `c=${Buffer.from(GS2_HEADER).toString("base64")},r=${nonce}`;
    const signed = `${this.#bare},${serverFirst},${withoutProof}`;
    const clientKey = hmac(salted, "Client Key");
    const signature = hmac(sha256(clientKey), signed);
    this.#serverSignature = hmac(hmac(salted, "Server Key"), signed);
    const proof = clientKey.map((byte, at) => byte ^ signature[at]!);
    return `${withoutProof},p=${Buffer.from(proof).toString("base64")}`;
  }

  /** @throws {ScramError} if the server does not prove that it knows the password */
  check(serverFinal: string): void {
    const signature = Buffer.from(/^v=([A-Za-z0-9+/]+=*)/.exec(serverFinal)?.[1] ?? "", "base64");
    if (this.#serverSignature === undefined || !equalKeys(signature, this.#serverSignature)) {
      throw new ScramError("The server could not prove that it knows the password");
    }
  }
}
