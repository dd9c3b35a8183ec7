/**
 * @module The start of a client's connection: the startup message, and proof that the client knows
 * the password.
 */
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { mockVerifier, type ScramVerifier } from "../scram/verifier.ts";
import { ScramError } from "../scram/messages.ts";
import { ScramServerExchange } from "../scram/server_exchange.ts";
import {
  authenticationSasl,
  authenticationSaslContinue,
  authenticationSaslFinal,
  type ErrorFields,
  negotiateProtocolVersion,
  SCRAM_MECHANISM,
} from "../wire/messages.ts";
import { type Connection, readExactly, readFrame, writeAll } from "../wire/connection.ts";
import { parseStartupPacket, startupLength, type StartupPacket } from "../wire/startup_packet.ts";
import { ProtocolError } from "../wire/frame_scanner.ts";

/**
 * PostgreSQL's own limit (`PG_MAX_SASL_MESSAGE_LENGTH`), plus the size of the surrounding message.
 */
const MAX_SASL_BYTES = 1024 + 64;
/** Maximum length of a role name in PostgreSQL, in bytes. */
const MAX_ROLE_BYTES = 63;
/** A client can request both TLS and GSSAPI, in either order. */
const MAX_ENCRYPTION_REQUESTS = 2;
const ENCRYPTION = new TextEncoder().encode("S");
const NO_ENCRYPTION = new TextEncoder().encode("N");
/**
 * The first byte from a client that starts with TLS directly. As the start of a length, it would be
 * too large.
 */
const TLS_HANDSHAKE = 22;

export type Opening = Exclude<StartupPacket, { readonly type: "encryption" | "unsupported" }>;

/** Rejects the client, which receives the message. */
export class HandshakeRefused extends Error {
  override readonly name = "HandshakeRefused";
  constructor(readonly fields: ErrorFields) {
    super(fields.message);
  }
}

export function refuse(sqlState: string, message: string, hint?: string): HandshakeRefused {
  return new HandshakeRefused({
    severity: "FATAL",
    sqlState,
    message,
    hint,
  });
}

/** How to encrypt a client's connection, if the client requests it. */
export interface Encryption {
  /** Whether there is a certificate. */
  isReady(): Promise<boolean>;
  /** @param read TLS bytes that the client has already sent */
  encrypt(read: Uint8Array): Promise<Connection>;
}

export interface Opened {
  readonly opening: Opening;
  /** The connection to use: the client's own, or the TLS connection within it. */
  readonly connection: Connection;
  readonly isEncrypted: boolean;
}

/**
 * Reads packets up to the startup message or cancel request, and encrypts the connection if the
 * client requests it.
 *
 * @throws {HandshakeRefused}
 * @throws {ProtocolError}
 * @throws {ConnectionEnded}
 */
export async function readOpening(client: Connection, encryption?: Encryption): Promise<Opened> {
  let [connection, isEncrypted] = [client, false];
  const encrypt = async (read: Uint8Array) => {
    connection = await encryption!.encrypt(read);
    isEncrypted = true;
  };
  for (let requests = 0; requests <= MAX_ENCRYPTION_REQUESTS; requests++) {
    let head = await readExactly(connection, 4);
    if (head[0] === TLS_HANDSHAKE && !isEncrypted && await encryption?.isReady()) {
      await encrypt(head);
      head = await readExactly(connection, 4);
    }
    const packet = parseStartupPacket(await readExactly(connection, startupLength(head) - 4));
    if (packet.type === "unsupported") {
      throw refuse("0A000", `Protocol ${packet.version} is not supported: use 3.0`);
    }
    if (packet.type !== "encryption") return { opening: packet, connection, isEncrypted };
    if (packet.kind === "tls" && !isEncrypted && await encryption?.isReady()) {
      await writeAll(connection, ENCRYPTION);
      await encrypt(new Uint8Array());
    } else await writeAll(connection, NO_ENCRYPTION);
  }
  throw new ProtocolError("The client requested encryption more than once");
}

export interface ClientStartup {
  readonly role: string;
  readonly database: string;
  /** All other parameters, such as `application_name`. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Reads the role, the database and the other parameters of a startup message.
 *
 * @throws {HandshakeRefused}
 */
export function readStartup(all: ReadonlyMap<string, string>): ClientStartup {
  const role = all.get("user") ?? "";
  if (role === "") throw refuse("28000", "The startup message has no user");
  if (new TextEncoder().encode(role).byteLength > MAX_ROLE_BYTES) {
    throw refuse("28000", `The user name is longer than ${MAX_ROLE_BYTES} bytes`);
  }
  if (!["false", "off", "no", "0", undefined].includes(all.get("replication"))) {
    throw refuse("0A000", "Replication connections are not supported");
  }
  const parameters = new Map(all);
  for (const own of ["user", "database", "replication"]) parameters.delete(own);
  for (const name of all.keys()) if (name.startsWith("_pq_.")) parameters.delete(name);
  return { role, database: all.get("database") || role, parameters };
}

/** Reports the supported version and options, if the client requested others. */
export async function negotiate(
  connection: Connection,
  { minorVersion, parameters }: Extract<StartupPacket, { readonly type: "startup" }>,
): Promise<void> {
  const options = [...parameters.keys()].filter((name) => name.startsWith("_pq_."));
  if (minorVersion === 0 && options.length === 0) return;
  await writeAll(connection, negotiateProtocolVersion(options));
}

/**
 * Verifies that the client knows the password. If the role doesn't exist (no verifier), the client
 * gets the same response as for a wrong password.
 *
 * @param mockKey random bytes, constant while the gateway runs
 * @returns whether the client knows the password. The client has not received a response yet.
 */
export async function provesPassword(
  connection: Connection,
  { role, verifier, mockKey }: {
    readonly role: string;
    readonly verifier: ScramVerifier | undefined;
    readonly mockKey: Uint8Array;
  },
): Promise<boolean> {
  const nonce = randomBytes(18).toString("base64");
  const exchange = new ScramServerExchange(verifier ?? mockVerifier(role, mockKey), nonce);
  try {
    await writeAll(connection, authenticationSasl());
    const first = exchange.first(readInitial(await readSasl(connection)));
    await writeAll(connection, authenticationSaslContinue(first));
    const outcome = exchange.final((await readSasl(connection)).toString("utf8"));
    if (outcome.type === "refused" || verifier === undefined) return false;
    await writeAll(connection, authenticationSaslFinal(outcome.serverFinal));
    return true;
  } catch (error) {
    if (error instanceof ScramError) throw refuse("08P01", error.message);
    throw error;
  }
}

async function readSasl(connection: Connection): Promise<Buffer> {
  const { letter, payload } = await readFrame(connection, MAX_SASL_BYTES);
  if (letter !== "p") throw new ProtocolError("Expected a password message");
  return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
}

/** Parses a `SASLInitialResponse`: the mechanism, a length, and the client's first message. */
function readInitial(payload: Buffer): string {
  const end = payload.indexOf(0);
  if (end < 0 || payload.byteLength < end + 5) {
    throw new ProtocolError("The SASL response is malformed");
  }
  const mechanism = payload.subarray(0, end).toString("latin1");
  if (mechanism !== SCRAM_MECHANISM) {
    throw refuse("28000", "Authentication requires SCRAM-SHA-256");
  }
  return payload.subarray(end + 5).toString("utf8");
}
