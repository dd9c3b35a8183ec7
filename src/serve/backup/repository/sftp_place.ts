/**
 * Backups on an SFTP server: `sftp://user@host:port/folder?host-key=SHA256:…&key-file=/path`.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { dirname } from "node:path/posix";
// @ts-types="./_ssh2.d.ts"
import ssh2, { type Attributes, type Client, type Done, type Entry, type Sftp } from "ssh2";
import { messageOf } from "../../../lib/error_message.ts";
import { BackupError } from "../backup_layout.ts";
import type { Place } from "./place.ts";

const READY_MS = 20_000;
/** Maximum time to transfer one object of up to a few MiB, in milliseconds. */
const OBJECT_MS = 5 * 60_000;
const KEEPALIVE_MS = 15_000;
/** Status codes of the protocol (draft-ietf-secsh-filexfer-02, section 7). */
const NO_SUCH_FILE = 2;

const ADVICE =
  "Check the key file, the network, and the permissions and free space on the server. " +
  "Nothing is lost: the next backup continues where this one stopped";

interface Address {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly root: string;
  readonly hostKey: string;
  readonly keyFile: string;
  /** The location as shown to people. */
  readonly name: string;
}

function parseAddress(place: string): Address {
  const url = URL.parse(place);
  const hostKey = url?.searchParams.get("host-key")?.replaceAll(" ", "+").replace(/=+$/, "");
  const keyFile = url?.searchParams.get("key-file");
  const isWhole = url !== null && url.hostname !== "" && url.username !== "" &&
    url.password === "" && url.pathname.length > 1;
  if (!isWhole || !keyFile) {
    throw new BackupError(
      "The backup URL must look like " +
        "sftp://user@host:22/folder?host-key=SHA256:…&key-file=/path/to/private/key",
      "Passwords are not supported: create a key with ssh-keygen -t ed25519",
    );
  }
  const name = `sftp://${url.username}@${url.host}${url.pathname}`;
  if (hostKey === undefined || !/^SHA256:[A-Za-z0-9+/]{43}$/.test(hostKey)) {
    throw new BackupError(
      `Cannot use ${name} for backups: host-key must be the SHA256 fingerprint of its host key`,
      `On the server: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub`,
    );
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || 22),
    username: decodeURIComponent(url.username),
    root: decodeURIComponent(url.pathname).replace(/^\/~\//, "").replace(/\/+$/, ""),
    hostKey,
    keyFile,
    name,
  };
}

const fingerprintOf = (key: Uint8Array): string =>
  `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;

/** Connects only if the server has the operator's host key. */
async function connect(address: Address): Promise<Client> {
  const privateKey = await Deno.readFile(address.keyFile);
  const client = new ssh2.Client();
  const ready = Promise.withResolvers<void>();
  let offered: string | undefined;
  client.on("ready", () => ready.resolve());
  client.on("error", (error) => ready.reject(error));
  client.on("close", () => ready.reject(new Error("The connection was closed")));
  client.connect({
    host: address.host,
    port: address.port,
    username: address.username,
    privateKey: Buffer.from(privateKey),
    readyTimeout: READY_MS,
    keepaliveInterval: KEEPALIVE_MS,
    hostVerifier: (key: Buffer) => (offered = fingerprintOf(key)) === address.hostKey,
  });
  try {
    await ready.promise;
    client.setNoDelay(true);
    return client;
  } catch (error) {
    client.destroy();
    if (offered === undefined || offered === address.hostKey) throw error;
    throw new BackupError(
      `Cannot use ${address.name} for backups: its host key is ${offered}, not ${address.hostKey}`,
      "Make sure that it is the right server before you change host-key. " +
        "A server with keys of several types presents its Ed25519 key",
      { cause: error },
    );
  }
}

/** Turns a call with a callback into a promise. All promises settle when the connection closes. */
function call<T>(client: Client, run: (done: Done<T>) => void): Promise<T> {
  const result = Promise.withResolvers<T>();
  const lost = () => result.reject(new Error("The connection was closed"));
  const late = setTimeout(() => {
    result.reject(new Error(`The server did not respond within ${OBJECT_MS / 60_000} minutes`));
    client.destroy();
  }, OBJECT_MS);
  client.once("close", lost);
  try {
    run((error, value) => error ? result.reject(error) : result.resolve(value));
  } catch (error) {
    result.reject(error);
  }
  return result.promise.finally(() => {
    clearTimeout(late);
    client.off("close", lost);
  });
}

const isMissing = (error: unknown): boolean =>
  (error as { readonly code?: unknown }).code === NO_SUCH_FILE;

/** A session on a connection. Both are closed together. */
class Session {
  readonly #client: Client;
  readonly #sftp: Sftp;
  /** The folders that are known to exist. */
  readonly #folders = new Set<string>();

  constructor(client: Client, sftp: Sftp) {
    this.#client = client;
    this.#sftp = sftp;
  }

  static async open(address: Address): Promise<Session> {
    const client = await connect(address);
    return new Session(client, await call(client, (done) => client.sftp(done)));
  }

  #call<T>(run: (sftp: Sftp, done: Done<T>) => void): Promise<T> {
    return call(this.#client, (done) => run(this.#sftp, done));
  }

  #tryExtension(run: (sftp: Sftp, done: Done<void>) => void): Promise<boolean> {
    return this.#call<void>(run).then(() => true, (error) => {
      if (/does not support this extended request/.test(messageOf(error))) return false;
      throw error;
    });
  }

  /**
   * Writes a file under a temporary name, flushes it and renames it, so it is either complete or
   * missing.
   */
  async put(path: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
    const unfinished = `${path}.${crypto.randomUUID()}.tmp`;
    await this.#makeFolder(dirname(path));
    const handle = await this.#call<Buffer>((sftp, done) =>
      sftp.open(unfinished, "w", 0o600, done)
    );
    await this.#call<void>((sftp, done) =>
      sftp.write(handle, Buffer.from(content), 0, content.length, 0, done)
    );
    await this.#tryExtension((sftp, done) => sftp.ext_openssh_fsync(handle, done));
    await this.#call<void>((sftp, done) => sftp.close(handle, done));
    const replaces = await this.#tryExtension((sftp, done) =>
      sftp.ext_openssh_rename(unfinished, path, done)
    );
    if (replaces) return;
    await this.remove(path);
    await this.#call<void>((sftp, done) => sftp.rename(unfinished, path, done));
  }

  async get(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      const content = await this.#call<Buffer>((sftp, done) => sftp.readFile(path, done));
      return new Uint8Array(content);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async remove(path: string): Promise<void> {
    await this.#call<void>((sftp, done) => sftp.unlink(path, done))
      .catch((error) => {
        if (!isMissing(error)) throw error;
      });
  }

  async *list(root: string, folder: string): AsyncGenerator<string> {
    const entries = await this.#call<readonly Entry[]>((sftp, done) =>
      sftp.readdir(`${root}/${folder}`, done)
    ).catch((error) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for (const { filename, attrs } of entries) {
      if (attrs.isDirectory()) yield* this.list(root, `${folder}${filename}/`);
      else yield `${folder}${filename}`;
    }
  }

  async isFolder(path: string): Promise<boolean> {
    try {
      return (await this.#call<Attributes>((sftp, done) => sftp.stat(path, done))).isDirectory();
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async #makeFolder(path: string): Promise<void> {
    if (this.#folders.has(path) || path === "/" || path === ".") return;
    if (!await this.isFolder(path)) {
      await this.#makeFolder(dirname(path));
      await this.#call<void>((sftp, done) => sftp.mkdir(path, { mode: 0o700 }, done)).catch(
        async (error) => {
          // Another call may have created the folder in the meantime.
          if (!await this.isFolder(path)) throw error;
        },
      );
    }
    this.#folders.add(path);
  }

  close(): void {
    this.#client.end();
  }
}

/** @throws {BackupError} if the location cannot be used. The message says what to do. */
export async function openSftpPlace(place: string): Promise<Place> {
  const address = parseAddress(place);
  const { name, root } = address;
  const explained = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (cause) {
      if (cause instanceof BackupError) throw cause;
      throw new BackupError(`Cannot use ${name} for backups: ${messageOf(cause)}`, ADVICE, {
        cause,
      });
    }
  };
  const session = await explained(Session.open(address));
  // A missing folder may be an unmounted disk, so it is not silently recreated.
  if (!await explained(session.isFolder(dirname(root)))) {
    session.close();
    throw new BackupError(
      `Cannot use ${name} for backups: there is no folder ${dirname(root)}`,
      "Create the folder on the server, or choose another one",
    );
  }
  const pathOf = (key: string) => `${root}/${key}`;
  return {
    name,
    put: (key, content) => explained(session.put(pathOf(key), content)),
    get: (key) => explained(session.get(pathOf(key))),
    remove: (key) => explained(session.remove(pathOf(key))),
    async *list(folder) {
      const keys = session.list(root, folder);
      for (;;) {
        const next = await explained(keys.next());
        if (next.done === true) return;
        yield next.value;
      }
    },
    close: () => session.close(),
  };
}
