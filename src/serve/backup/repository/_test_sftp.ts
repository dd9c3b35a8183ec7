/**
 * SFTP servers that serve a folder, for tests: the server of ssh2 in this process, and the server
 * of OpenSSH if the machine has it.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { join } from "node:path";
// @ts-types="./_ssh2.d.ts"
import ssh2Module from "ssh2";
// deno-lint-ignore no-explicit-any -- only the client has types here
const { Server, utils } = ssh2Module as any;
const { STATUS_CODE, OPEN_MODE } = utils.sftp;

interface TestSftp extends AsyncDisposable {
  /** The backup location: a folder that does not exist yet. */
  readonly place: string;
  /** The folder itself, to inspect its contents. */
  readonly folder: string;
}

const fingerprintOf = (publicKey: string): string => {
  const bytes = Uint8Array.fromBase64(publicKey.split(" ")[1]!);
  return `SHA256:${createHash("sha256").update(bytes).digest("base64").replace(/=+$/, "")}`;
};

async function makeKeys(root: string) {
  const [host, user] = [utils.generateKeyPairSync("ed25519"), utils.generateKeyPairSync("ed25519")];
  const keyFile = join(root, "user_key");
  await Deno.writeTextFile(keyFile, user.private, { mode: 0o600 });
  return { host, user, keyFile, folder: join(root, "kept") };
}

const placeOf = (
  user: string,
  port: number,
  { folder, keyFile, host }: Awaited<ReturnType<typeof makeKeys>>,
): string => {
  const query = new URLSearchParams({
    "host-key": fingerprintOf(host.public),
    "key-file": keyFile,
  });
  return `sftp://${user}@127.0.0.1:${port}${folder}?${query}`;
};

/** Serves the file system with ssh2's own server, which does not have OpenSSH's extensions. */
export async function startTestSftp(root: string): Promise<TestSftp> {
  const keys = await makeKeys(root);
  const allowed = utils.parseKey(keys.user.public);
  // deno-lint-ignore no-explicit-any
  const server = new Server({ hostKeys: [keys.host.private] }, (client: any) => {
    client.on("error", () => {});
    // deno-lint-ignore no-explicit-any
    client.on("authentication", (context: any) => {
      const isKnown = context.method === "publickey" &&
        allowed.getPublicSSH().equals(context.key.data) &&
        (context.signature === undefined ||
          allowed.verify(context.blob, context.signature, context.hashAlgo) === true);
      return isKnown ? context.accept() : context.reject(["publickey"]);
    });
    client.on("ready", () => {
      client.setNoDelay(true);
      // deno-lint-ignore no-explicit-any
      client.on("session", (accept: any) => accept().on("sftp", (open: any) => serve(open())));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    place: placeOf("svc", server.address().port, keys),
    folder: keys.folder,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

// deno-lint-ignore no-explicit-any
function serve(sftp: any): void {
  const open = new Map<string, Deno.FsFile | Deno.DirEntry[]>();
  let count = 0;
  const handleOf = (opened: Deno.FsFile | Deno.DirEntry[]) => {
    const handle = String(count++);
    open.set(handle, opened);
    return Buffer.from(handle);
  };
  // deno-lint-ignore no-explicit-any
  const answer = (name: string, run: (request: number, ...args: any[]) => unknown) =>
    // deno-lint-ignore no-explicit-any
    sftp.on(name, async (request: number, ...args: any[]) => {
      try {
        if (await run(request, ...args) !== true) sftp.status(request, STATUS_CODE.OK);
      } catch (error) {
        const isMissing = error instanceof Deno.errors.NotFound;
        sftp.status(request, isMissing ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE);
      }
    });
  const file = (handle: Uint8Array) => open.get(String(handle)) as Deno.FsFile;
  const attributes = (info: Deno.FileInfo) => ({
    mode: info.mode!,
    uid: 0,
    gid: 0,
    size: info.size,
    atime: 0,
    mtime: 0,
  });
  answer("OPEN", async (request, path, flags) => {
    const write = (flags & OPEN_MODE.WRITE) !== 0;
    const options = write ? { write, create: true, truncate: true } : { read: true };
    sftp.handle(request, handleOf(await Deno.open(path, options)));
    return true;
  });
  answer("WRITE", async (_request, handle, offset, content: Uint8Array) => {
    await file(handle).seek(offset, Deno.SeekMode.Start);
    for (let at = 0; at < content.length;) at += await file(handle).write(content.subarray(at));
  });
  answer("READ", async (request, handle, offset, length) => {
    await file(handle).seek(offset, Deno.SeekMode.Start);
    const buffer = new Uint8Array(length);
    const read = await file(handle).read(buffer);
    if (read === null) sftp.status(request, STATUS_CODE.EOF);
    else sftp.data(request, Buffer.from(buffer.subarray(0, read)));
    return true;
  });
  answer("CLOSE", (_request, handle) => {
    const opened = open.get(String(handle));
    open.delete(String(handle));
    if (!Array.isArray(opened)) opened?.close();
  });
  const stat = async (request: number, path: string) => {
    sftp.attrs(request, attributes(await Deno.stat(path)));
    return true;
  };
  answer("STAT", stat);
  answer("LSTAT", stat);
  answer("FSTAT", async (request, handle) => {
    sftp.attrs(request, attributes(await file(handle).stat()));
    return true;
  });
  answer("OPENDIR", async (request, path) => {
    const entries = await Array.fromAsync(Deno.readDir(path));
    sftp.handle(request, handleOf(entries));
    return true;
  });
  answer("READDIR", (request, handle) => {
    const entries = (open.get(String(handle)) as Deno.DirEntry[]).splice(0);
    if (entries.length === 0) sftp.status(request, STATUS_CODE.EOF);
    else {
      sftp.name(
        request,
        entries.map(({ name, isDirectory }) => ({
          filename: name,
          longname: name,
          attrs: { mode: isDirectory ? 0o040700 : 0o100600 },
        })),
      );
    }
    return true;
  });
  answer("MKDIR", (_request, path) => Deno.mkdir(path));
  answer("REMOVE", (_request, path) => Deno.remove(path));
  answer("RENAME", async (_request, from, to) => {
    if (await Deno.stat(to).then(() => true, () => false)) throw new Deno.errors.AlreadyExists();
    await Deno.rename(from, to);
  });
}

/** The path of OpenSSH's server: the one that the variable sets, or the one on this machine. */
const SSHD = Deno.env.get("SSHD") ?? "/usr/sbin/sshd";
export const HAS_SSHD = await Deno.stat(SSHD).then(() => true, () => false);

/** Starts the server as the current user, who is allowed to sign in. */
export async function startSshd(root: string): Promise<TestSftp> {
  const keys = await makeKeys(root);
  const [hostKey, authorized, config] = ["host_key", "authorized", "sshd_config"].map((name) =>
    join(root, name)
  ) as [string, string, string];
  await Deno.writeTextFile(hostKey, keys.host.private, { mode: 0o600 });
  await Deno.writeTextFile(authorized, keys.user.public);
  using free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = free.addr;
  free.close();
  await Deno.writeTextFile(
    config,
    [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${authorized}`,
      "StrictModes no",
      "UsePAM no",
      "PidFile none",
      "Subsystem sftp internal-sftp",
    ].join("\n"),
  );
  const child = new Deno.Command(SSHD, {
    args: ["-D", "-e", "-f", config],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const said = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; !text.includes("Server listening");) {
    const { value, done } = await said.read();
    if (done) throw new Error(text);
    text += value;
  }
  const rest = (async () => {
    while (!(await said.read()).done);
  })();
  const whoami = await new Deno.Command("id", { args: ["-un"] }).output();
  return {
    place: placeOf(new TextDecoder().decode(whoami.stdout).trim(), port, keys),
    folder: keys.folder,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.status;
      await rest;
    },
  };
}
