/**
 * @module Real git repositories: created commit by commit, and served over smart HTTP by
 * `git http-backend` behind a small server.
 */
import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { stopServer } from "./stop_server.ts";

const ENV = {
  PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Ada Lovelace",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_COMMITTER_NAME: "Ada Lovelace",
  GIT_COMMITTER_EMAIL: "ada@example.com",
};

/** Runs git in a folder. If git fails, throws an error with git's message. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("git", {
    args: ["-C", folder, ...args],
    env: { ...ENV, HOME: folder },
    clearEnv: true,
  }).output();
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout).trim();
}

export interface TestRepository {
  readonly path: string;
  /** Writes files, commits them on a branch (created if missing), and returns the SHA. */
  commit(
    branch: string,
    files: Readonly<Record<string, string>>,
    message?: string,
  ): Promise<string>;
  git(...args: string[]): Promise<string>;
}

/** Creates an empty repository below a folder. */
export async function makeRepository(folder: string, name = "site"): Promise<TestRepository> {
  const path = join(folder, name);
  await Deno.mkdir(path, { recursive: true });
  await git(path, "init", "--quiet", "--initial-branch=main");
  return {
    path,
    git: (...args) => git(path, ...args),
    async commit(branch, files, message = "Change the site") {
      const exists = await git(path, "rev-parse", "--verify", "--quiet", `refs/heads/${branch}`)
        .then(() => true, () => false);
      if (exists) await git(path, "checkout", "--quiet", branch);
      else await git(path, "checkout", "--quiet", "-b", branch).catch(() => {});
      for (const [file, content] of Object.entries(files)) {
        await Deno.mkdir(join(path, file, ".."), { recursive: true });
        await Deno.writeTextFile(join(path, file), content);
      }
      await git(path, "add", "--all");
      await git(path, "commit", "--quiet", "--allow-empty", "-m", message);
      return await git(path, "rev-parse", "HEAD");
    },
  };
}

/** Creates a repository with a static site on three branches. Returns the branches' heads. */
export async function makeSite(folder: string) {
  const repository = await makeRepository(folder);
  const first = await repository.commit("main", { "index.html": "<h1>one</h1>" }, "Begin");
  const main = await repository.commit("main", { "index.html": "<h1>main</h1>" }, "Say main");
  const feature = await repository.commit("feature/menu", { "index.html": "<h1>menu</h1>" });
  await repository.git("checkout", "--quiet", "main");
  const docs = await repository.commit("docs", { "index.html": "<h1>docs</h1>" });
  return { repository, first, main, feature, docs };
}

/**
 * Creates two commits whose SHAs start with the same seven digits, outside any branch. Candidates
 * are hashed directly, because running git for each one would take days.
 */
export async function forgeAlike(repository: TestRepository): Promise<readonly string[]> {
  const tree = await repository.git("rev-parse", "HEAD^{tree}");
  const seen = new Map<string, string>();
  const encoder = new TextEncoder();
  for (let count = 0;; count++) {
    const body = `tree ${tree}\nauthor A <a@b> ${count} +0000\ncommitter A <a@b> 0 +0000\n\nx\n`;
    const bytes = encoder.encode(body);
    const head = encoder.encode(`commit ${bytes.byteLength}\0`);
    const all = new Uint8Array([...head, ...bytes]);
    const sha = new Uint8Array(await crypto.subtle.digest("SHA-1", all)).toHex();
    const other = seen.get(sha.slice(0, 7));
    if (other === undefined) {
      seen.set(sha.slice(0, 7), body);
      continue;
    }
    const made: string[] = [];
    for (const [index, text] of [other, body].entries()) {
      const file = join(repository.path, ".git", `forged-${index}`);
      await Deno.writeTextFile(file, text);
      made.push(await repository.git("hash-object", "-t", "commit", "-w", file));
    }
    return made;
  }
}

interface GitServer extends AsyncDisposable {
  readonly url: string;
  /** Requested paths and queries. */
  readonly requests: string[];
}

/**
 * Serves the repositories below a folder. If set, `basic` is the `user:password` that clients must
 * send.
 */
export function serveGit(
  root: string,
  options: {
    readonly basic?: string;
    readonly redirect?: (path: string) => string | undefined;
    /** Called before every response, which waits until the returned promise resolves. */
    readonly before?: () => Promise<void>;
  } = {},
): GitServer {
  const requests: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      requests.push(pathname + search);
      await options.before?.();
      const to = options.redirect?.(pathname + search);
      if (to !== undefined) return Response.redirect(new URL(to, request.url), 301);
      const said = request.headers.get("authorization");
      if (options.basic !== undefined && said !== `Basic ${btoa(options.basic)}`) {
        return new Response("Who are you?", {
          status: 401,
          headers: { "www-authenticate": 'Basic realm="git"' },
        });
      }
      return await runBackend(root, request);
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    [Symbol.asyncDispose]: () => stopServer(server),
  };
}

/** Makes one CGI call (RFC 3875) to `git http-backend`. */
async function runBackend(root: string, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  const child = spawn("git", ["http-backend"], {
    env: {
      ...ENV,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers.get("content-type") ?? "",
      CONTENT_LENGTH: String(body.byteLength),
      HTTP_CONTENT_ENCODING: request.headers.get("content-encoding") ?? "",
      GIT_PROTOCOL: request.headers.get("git-protocol") ?? "",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.end(body);
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk);
  const answer = Buffer.concat(chunks);
  const end = answer.indexOf("\r\n\r\n");
  const headers = new Headers();
  let status = 200;
  for (const line of answer.subarray(0, end).toString("latin1").split("\r\n")) {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    if (name.toLowerCase() === "status") status = Number.parseInt(value, 10);
    else headers.set(name, value);
  }
  return new Response(new Uint8Array(answer.subarray(end + 4)), { status, headers });
}
