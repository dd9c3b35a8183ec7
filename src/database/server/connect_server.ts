/** @module Opens a session on a PostgreSQL server: TLS, startup and authentication. */
import { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { ScramClientExchange } from "../scram/client_exchange.ts";
import { ScramError } from "../scram/messages.ts";
import {
  AUTHENTICATION,
  concatBytes,
  type Frame,
  message,
  parseFields,
  SCRAM_MECHANISM,
} from "../wire/messages.ts";
import { cancelRequest, sslRequest, startupMessage } from "../wire/startup_packet.ts";
import {
  closeQuietly,
  type Connection,
  ConnectionEnded,
  readExactly,
  readFrame,
  writeAll,
} from "../wire/connection.ts";
import { ProtocolError } from "../wire/frame_scanner.ts";
import { EngineError, type StartupParameters } from "../types.ts";
import { describeAddress, type Login, type ServerAddress } from "./server_address.ts";

/** Maximum time until a session is open, in milliseconds. */
const CONNECT_MS = 15_000;
/** Maximum length of a message before a session is open, in bytes. */
const MAX_GREETING_BYTES = 64 * 1024;

/** The server rejected the connection with this error. */
export class ServerRefusal extends EngineError {}

export interface ServerConnection {
  readonly connection: Connection;
  /** Notices, `ParameterStatus`, `BackendKeyData` and `ReadyForQuery`. */
  readonly greeting: Uint8Array<ArrayBuffer>;
  /** Cancels the running statement. */
  cancel(): Promise<void>;
}

/** @throws {EngineError} */
export async function connectServer(
  address: ServerAddress,
  login: Login,
  parameters: StartupParameters = new Map(),
): Promise<ServerConnection> {
  const connection = await open(address);
  const late = setTimeout(() => closeQuietly(connection), CONNECT_MS);
  try {
    await writeAll(
      connection,
      startupMessage(new Map([...parameters, ["user", login.user], ["database", login.database]])),
    );
    await authenticate(connection, { login, isPrivate: isPrivate(address) });
    return await readGreeting(connection, address);
  } catch (error) {
    closeQuietly(connection);
    throw explain(error, address);
  } finally {
    clearTimeout(late);
  }
}

const isPrivate = ({ endpoint, tls }: ServerAddress): boolean =>
  endpoint.transport === "unix" || tls !== undefined;

async function open(address: ServerAddress): Promise<Connection> {
  try {
    if (address.endpoint.transport === "unix") return await Deno.connect(address.endpoint);
    const connection = await Deno.connect(address.endpoint);
    connection.setNoDelay(true);
    connection.setKeepAlive(true);
    return address.tls === undefined ? connection : await startTls(connection, address);
  } catch (error) {
    throw explain(error, address);
  }
}

async function startTls(connection: Deno.TcpConn, address: ServerAddress): Promise<Connection> {
  const late = setTimeout(() => closeQuietly(connection), CONNECT_MS);
  try {
    await writeAll(connection, sslRequest());
    const [answer] = await readExactly(connection, 1);
    if (answer !== "S".charCodeAt(0)) {
      throw new EngineError(
        `The PostgreSQL server at ${describeAddress(address)} has no TLS: ` +
          "turn it on there, or add sslmode=disable to the URL if you trust the network",
        "08001",
      );
    }
    const hostname = address.endpoint.transport === "tcp" ? address.endpoint.hostname : "";
    const tls = await Deno.startTls(connection, { hostname, caCerts: address.tls!.caCerts });
    await tls.handshake();
    return tls;
  } catch (error) {
    closeQuietly(connection);
    throw error;
  } finally {
    clearTimeout(late);
  }
}

async function authenticate(
  connection: Connection,
  { login, isPrivate }: { readonly login: Login; readonly isPrivate: boolean },
): Promise<void> {
  let exchange: ScramClientExchange | undefined;
  const answer = (...parts: readonly (string | number | Uint8Array)[]) =>
    writeAll(connection, message("p", ...parts));
  for (;;) {
    const frame = await readFrame(connection, MAX_GREETING_BYTES);
    if (frame.letter === "v") continue;
    const kind = authenticationKind(frame);
    const data = frame.payload.subarray(4);
    if (kind === AUTHENTICATION.ok) return;
    const { password } = login;
    if (password === undefined) {
      throw new ServerRefusal(`The role "${login.user}" needs a password`, "28P01");
    }
    if (kind === AUTHENTICATION.sasl) {
      exchange = startScram(data, password);
      await answer(SCRAM_MECHANISM, exchange.first.length, bytesOf(exchange.first));
    } else if (kind === AUTHENTICATION.saslContinue && exchange !== undefined) {
      await answer(bytesOf(exchange.final(textOf(data))));
    } else if (kind === AUTHENTICATION.saslFinal && exchange !== undefined) {
      exchange.check(textOf(data));
    } else if (kind === AUTHENTICATION.md5) {
      await answer(md5Password(login.user, password, data.subarray(0, 4)));
    } else if (kind === AUTHENTICATION.clearText && isPrivate) {
      await answer(password);
    } else {
      throw new ServerRefusal(
        "The server requires an authentication method that is not secure",
        "28000",
      );
    }
  }
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function authenticationKind({ letter, payload }: Frame): number {
  if (letter === "E") throw refusalOf(payload);
  if (letter !== "R" || payload.byteLength < 4) throw new ProtocolError("Not a PostgreSQL server");
  return new DataView(payload.buffer, payload.byteOffset).getUint32(0);
}

function startScram(data: Uint8Array, password: string): ScramClientExchange {
  if (!textOf(data).split("\0").includes(SCRAM_MECHANISM)) {
    throw new ServerRefusal(`The server does not support ${SCRAM_MECHANISM}`, "28000");
  }
  return new ScramClientExchange(password, randomBytes(18).toString("base64"));
}

function md5Password(user: string, password: string, salt: Uint8Array): string {
  const md5 = (...parts: readonly (string | Uint8Array)[]): string =>
    parts.reduce((hash, part) => hash.update(part), createHash("md5")).digest("hex");
  return `md5${md5(md5(password, user), salt)}`;
}

async function readGreeting(
  connection: Connection,
  address: ServerAddress,
): Promise<ServerConnection> {
  const frames: Frame[] = [];
  let key: Uint8Array<ArrayBuffer> | undefined;
  for (;;) {
    const frame = await readFrame(connection, MAX_GREETING_BYTES);
    if (frame.letter === "E") throw refusalOf(frame.payload);
    if (frame.letter === "K") key = frame.payload;
    frames.push(frame);
    if (frame.letter === "Z") break;
  }
  return {
    connection,
    greeting: concatBytes(frames.map(({ bytes }) => bytes)),
    cancel: async () => {
      if (key === undefined) return;
      await sendCancel(address, Buffer.from(key).readUInt32BE(), key.subarray(4));
    },
  };
}

/**
 * Resolves when the server closes the connection, which means that the server has received the
 * request.
 */
async function sendCancel(
  address: ServerAddress,
  processId: number,
  secret: Uint8Array,
): Promise<void> {
  const connection = await open(address);
  const late = setTimeout(() => closeQuietly(connection), CONNECT_MS);
  try {
    await writeAll(connection, cancelRequest(processId, secret));
    await connection.read(new Uint8Array(1));
  } catch {
    /* The connection is closed in either case. */
  } finally {
    clearTimeout(late);
    closeQuietly(connection);
  }
}

function refusalOf(payload: Uint8Array): ServerRefusal {
  const fields = parseFields(payload);
  return new ServerRefusal(fields.get("M") ?? "The server refused", fields.get("C") ?? "08004");
}

function explain(error: unknown, address: ServerAddress): EngineError {
  if (error instanceof EngineError) return error;
  const where = describeAddress(address);
  if (error instanceof ScramError || error instanceof ProtocolError) {
    return new EngineError(`The PostgreSQL server at ${where}: ${error.message}`, "08P01");
  }
  const why = error instanceof ConnectionEnded ? "it closed the connection" : String(error);
  return new EngineError(`Cannot reach the PostgreSQL server at ${where}: ${why}`, "57P03", {
    cause: error,
  });
}
