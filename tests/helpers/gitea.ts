/**
 * Runs Gitea, a forge, as a process. If the program is missing, it is built from its Go module.
 *
 * @module
 */
import { join } from "node:path";
import { hear, show } from "../../scripts/_process.ts";
import { ROOT } from "../../scripts/_source_files.ts";
import { unusedPort } from "../../src/lib/unused_port.ts";
import { Child } from "./machines/child.ts";

const VERSION = "v1.26.0";
const USER = "ada";

/**
 * Returns the folder that contains the program. If the program is missing, builds it, which takes a
 * few minutes.
 */
async function findGitea(): Promise<string> {
  const home = Deno.env.get("HOME") ?? "/tmp";
  const folder = join(home, ".cache", "svc-tests", `gitea-${VERSION}`);
  const code = await show([join(ROOT, "scripts", "build_gitea.sh"), folder]);
  if (code !== 0) throw new Error("Cannot build Gitea. See the output above");
  return folder;
}

/**
 * Returns settings for a server on 127.0.0.1 with a single user. The server's webhooks can reach
 * only this machine.
 */
const settings = (folder: string, { program, port }: { program: string; port: number }) => `
APP_NAME = svc's tests
RUN_MODE = prod
WORK_PATH = ${folder}
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true

[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
DISABLE_SSH = true
OFFLINE_MODE = true
STATIC_ROOT_PATH = ${program}

[database]
DB_TYPE = sqlite3
PATH = ${join(folder, "gitea.db")}

[repository]
ROOT = ${join(folder, "repositories")}

[security]
INSTALL_LOCK = true
SECRET_KEY = of-a-test

[webhook]
ALLOWED_HOST_LIST = loopback

[mailer]
ENABLED = false

[log]
LEVEL = Warn
`;

export interface Gitea extends AsyncDisposable {
  readonly url: string;
  readonly user: string;
  readonly token: string;
  /** Calls the API. Throws if the call does not succeed. */
  // deno-lint-ignore no-explicit-any -- tests inspect any response
  api(method: string, path: string, body?: unknown): Promise<any>;
}

/** Starts Gitea with one user, in a separate folder, which the caller must remove. */
export async function startGitea(folder: string): Promise<Gitea> {
  const program = await findGitea();
  await Deno.mkdir(folder, { recursive: true });
  const port = unusedPort();
  const config = join(folder, "app.ini");
  await Deno.writeTextFile(config, settings(folder, { program, port }));
  const env = { HOME: folder, GITEA_WORK_DIR: folder };
  const gitea = (...args: string[]): [string, ...string[]] => [
    join(program, "gitea"),
    "--config",
    config,
    ...args,
  ];
  const administer = async (...args: string[]) => {
    const { code, stdout, stderr } = await hear(gitea(...args), { env });
    if (code !== 0) throw new Error(`gitea ${args.join(" ")}: ${stdout}${stderr}`);
    // Everything that Gitea prints before this line belongs to the log.
    return stdout.trimEnd().split("\n").at(-1)!;
  };
  await administer("migrate");
  await administer(
    "admin",
    "user",
    "create",
    "--admin",
    "--username",
    USER,
    "--random-password",
    "--email",
    "ada@example.com",
    "--must-change-password=false",
  );
  const token = await administer(
    "admin",
    "user",
    "generate-access-token",
    "--username",
    USER,
    "--raw",
    "--scopes",
    "write:repository,write:issue,write:user",
  );
  const child = await Child.start(gitea("web"), { env, ready: { port } });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    user: USER,
    token,
    async api(method, path, body) {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `token ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === "" ? undefined : JSON.parse(text);
    },
    [Symbol.asyncDispose]: () => child.kill(),
  };
}
