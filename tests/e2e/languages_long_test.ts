/**
 * Deploys real apps in other languages with `git push`, each with packages from its registry.
 * Checks variables, a database, logs, rollback, a clean shutdown, a start after a crash, and the
 * sandbox. Runs only if `LANGUAGES` is set to `all` or to comma-separated names, because it
 * installs packages.
 */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../scripts/_source_files.ts";
import { git } from "../../src/lib/_test_git.ts";
import { until } from "../../src/lib/_test_until.ts";
import { findToolchains } from "../../src/toolchains/find_toolchains.ts";
import { noServer } from "../helpers/postgres.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const WANTED = Deno.env.get("LANGUAGES")?.split(",");

/** Maximum time to wait for a build, which fetches and compiles packages, in milliseconds. */
const BUILD_MS = 900_000;

interface App {
  /** Toolchains that the app needs. */
  readonly needs: readonly string[];
  /** Text at the start of the page. */
  readonly says: string;
  /** The source file that contains the page's text. */
  readonly page: string;
  /** Changes the copied folder before it is committed. */
  prepare?(folder: string): Promise<void>;
  /** Returns the reason why the app cannot run here, apart from missing toolchains. */
  lacks?(): Promise<string | undefined>;
  /** Whether the app also has routes that try to escape the sandbox. */
  readonly escapes?: true;
  /** Features that the app lacks: a database connection, a shutdown message, child processes. */
  readonly without?: readonly ("database" | "end" | "fork")[];
}

async function says(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command(program, { args, stderr: "null" }).output();
  return new TextDecoder().decode(stdout);
}

const PYTHON = { says: "python", page: "main.py", escapes: true } as const;

const APPS: Readonly<Record<string, App>> = {
  "go-chi": { needs: ["go"], says: "go", page: "main.go", escapes: true },
  "fastapi": { ...PYTHON, needs: ["python"] },
  "fastapi-uv": {
    ...PYTHON,
    needs: ["python", "uv"],
    async prepare(folder) {
      const { success } = await new Deno.Command("uv", { args: ["lock"], cwd: folder }).output();
      assert.ok(success, "uv lock failed");
    },
  },
  "django": { needs: ["python"], says: "django", page: "shop/urls.py", without: ["end"] },
  "java-javalin": {
    ...{ needs: ["java", "maven"], says: "java", page: "src/main/java/Main.java" },
  },
  "php": {
    ...{ needs: ["php"], says: "php", page: "index.php", without: ["end"] },
    lacks: async () =>
      /^pdo_pgsql$/m.test(await says("php", "-m")) ? undefined : "PHP has no pdo_pgsql",
  },
  "php-composer": {
    ...{ needs: ["php", "composer"], says: "php", page: "greeter/src/Greeter.php" },
    without: ["database", "end", "fork"],
  },
  "sinatra": {
    ...{ needs: ["ruby"], says: "ruby", page: "app.rb" },
    lacks: async () =>
      await says("ruby", "-e", 'require "sinatra/version"; require "pg"; puts "there"') ===
          "there\n"
        ? undefined
        : "Ruby has no sinatra and pg",
  },
  "elixir": {
    ...{ needs: ["elixir"], says: "elixir", page: "lib/shop.ex" },
    without: ["database", "fork"],
  },
  "rust-axum": { needs: ["rust"], says: "rust", page: "src/main.rs" },
};

/** Sites that are built as static files, each with text from its front page. */
const SITES: Readonly<Record<string, App>> = {
  "hugo": { needs: ["hugo"], says: "<title>Shop</title>hugo first", page: "layouts/index.html" },
  "jekyll": {
    ...{ needs: ["jekyll"], says: "<title>Shop</title><p>jekyll first</p>", page: "index.md" },
  },
};

/**
 * Returns the folders of rustup and Cargo. By default, these folders are in the home folder, which
 * is a different one in the test.
 */
const rustVariables = ({ HOME, RUSTUP_HOME, CARGO_HOME }: Record<string, string>) => ({
  RUSTUP_HOME: RUSTUP_HOME ?? `${HOME}/.rustup`,
  CARGO_HOME: CARGO_HOME ?? `${HOME}/.cargo`,
});

/** A pushed app, as seen by its visitors and its owner. */
class Pushed {
  readonly #box: Sandbox;
  readonly #app: App;

  constructor(box: Sandbox, readonly name: string, app: App, readonly folder: string) {
    this.#box = box;
    this.#app = app;
  }

  static async create(box: Sandbox, name: string, app: App): Promise<Pushed> {
    const folder = join(box.folder, name);
    await cp(join(ROOT, "fixtures", "languages", name), folder, { recursive: true });
    await app.prepare?.(folder);
    box.site = folder;
    await git(folder, "init", "--quiet", "--initial-branch=main");
    await box.json(["projects", "create", "--name", name, "--link"]);
    await box.json(["link", "--git-remote"]);
    // By default, a server stops an hour after it has been replaced.
    await Deno.writeTextFile(join(folder, "svc.toml"), "\n[skew]\nmax_age = 0\n", { append: true });
    return new Pushed(box, name, app, folder);
  }

  async page(path: string, what?: string): Promise<string> {
    const query = what === undefined ? "" : `?what=${encodeURIComponent(what)}`;
    const { status, text } = await this.#box.page(`${this.name}.localhost`, `${path}${query}`);
    assert.equal(status, 200, `${this.name}${path}: ${text}\n${await this.logs()}`);
    return text;
  }

  async status(path: string): Promise<number> {
    return (await this.#box.page(`${this.name}.localhost`, path)).status;
  }

  /** Checks that the page contains a word from the source and the value of a variable. */
  async shows(word: string, greeting: string): Promise<void> {
    assert.equal(await this.page("/"), `${this.#app.says} ${greeting} ${word}`);
  }

  async logs(): Promise<string> {
    return (await this.#box.tool(["logs", "--limit", "500"])).stdout;
  }

  async logged(pattern: RegExp): Promise<void> {
    await until(() => this.logs(), (text) => pattern.test(text), 30_000);
  }

  /** Commits and pushes all files, and waits until they are live. */
  async push(): Promise<void> {
    await git(this.folder, "add", "--all");
    await git(this.folder, "commit", "--quiet", "--message", "Change");
    const { code, stderr } = await new Deno.Command("git", {
      args: ["-C", this.folder, "push", "svc", "main"],
      env: { ...this.#box.env, GIT_TERMINAL_PROMPT: "0" },
      clearEnv: true,
      signal: AbortSignal.timeout(BUILD_MS),
    }).output();
    const said = new TextDecoder().decode(stderr);
    assert.equal(code, 0, said);
    assert.match(said, /remote: svc: main is live at/, said);
  }

  async setGreeting(value: string): Promise<void> {
    await this.#box.json(["env", "set", "GREETING", "--plain", "--value", value, "--all"]);
  }

  /** Changes the page. */
  async change(from: string, to: string): Promise<void> {
    const path = join(this.folder, this.#app.page);
    const text = await Deno.readTextFile(path);
    assert.ok(text.includes(from), `${path} has no ${from}`);
    await Deno.writeTextFile(path, text.replace(from, to));
  }
}

/** Lists the processes on this machine that run a server for this test's project. */
function serversOf(box: Sandbox): readonly number[] {
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = Deno.readTextFileSync(`/proc/${name}/environ`);
      const parent = /^PPid:\s*(\d+)/m.exec(Deno.readTextFileSync(`/proc/${name}/status`))?.[1];
      if (!text.includes("\0GREETING=") && !text.startsWith("GREETING=")) continue;
      if (isBelow(Number(parent), box.platform!.pid)) found.push(Number(name));
    } catch { /* it has exited */ }
  }
  return found;
}

function isBelow(pid: number, ancestor: number): boolean {
  for (let at = pid; at > 1;) {
    if (at === ancestor) return true;
    at = Number(/^PPid:\s*(\d+)/m.exec(Deno.readTextFileSync(`/proc/${at}/status`))?.[1]);
  }
  return false;
}

async function goLive(site: Pushed, app: App): Promise<void> {
  await site.setGreeting("hello");
  await site.push();
  await site.shows("first", "hello");
  await site.logged(/asked for .*\//);
  if (app.without?.includes("database") !== true) {
    assert.equal(await site.page("/visits"), "visits 1");
    assert.equal(await site.page("/visits"), "visits 2");
  }
}

async function changeAndReturn(box: Sandbox, site: Pushed, app: App): Promise<void> {
  await site.setGreeting("bye");
  await site.change("first", "second");
  await site.push();
  await site.shows("second", "bye");
  await box.json(["rollback"]);
  await site.shows("first", "hello");
  if (app.without?.includes("end") !== true) await site.logged(/ended in order/);
  if (app.without?.includes("database") !== true) {
    assert.equal(await site.page("/visits"), "visits 3");
  }
}

/** Kills the server. The next requests start another one. */
async function crash(box: Sandbox, site: Pushed): Promise<void> {
  const running = serversOf(box);
  assert.ok(running.length > 0, "no process has the project's variables");
  for (const pid of running) {
    try {
      Deno.kill(pid, "SIGKILL");
    } catch { /* it exited together with another process */ }
  }
  await until(() => site.status("/"), (status) => status === 200, 30_000);
  await site.shows("first", "hello");
}

const REFUSED = /^refused: /;

async function escape(box: Sandbox, site: Pushed, app: App): Promise<void> {
  const secrets = [join(box.dataDir, "keys.json"), "/etc/shadow", "/proc/1/environ"];
  for (const path of [...secrets, join(ROOT, "deno.json"), `/proc/${Deno.pid}/environ`]) {
    assert.match(await site.page("/read", path), REFUSED, `read ${path}`);
  }
  using service = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const own = `127.0.0.1:${service.addr.port}`;
  for (
    const address of [own, `127.1.2.3:${service.addr.port}`, "169.254.169.254:80", "10.0.0.1:80"]
  ) {
    assert.match(await site.page("/connect", address), REFUSED, `connect ${address}`);
  }
  if (app.without?.includes("fork") !== true) {
    assert.match(await site.page("/fork"), REFUSED);
  }
  await site.shows("first", "hello");
  if (app.escapes === true) await escapeFurther(site);
}

async function escapeFurther(site: Pushed): Promise<void> {
  assert.equal(await site.page("/write", "/tmp/a"), "written");
  assert.match(await site.page("/write", "/app/a"), REFUSED);
  assert.match(await site.page("/trace", "1"), REFUSED);
  assert.match(await site.page("/become"), REFUSED);
  const privileged =
    "find / -xdev -perm /6000 -type f 2>/dev/null | head -1 | xargs -r -n1 sh -c 'id -u'";
  assert.doesNotMatch(await site.page("/run", privileged), /^0$/m);
  assert.match(
    await site.page("/run", "grep -E 'NoNewPrivs|CapEff' /proc/self/status"),
    /CapEff:\s*0+\nNoNewPrivs:\s*1/,
  );
  assert.doesNotMatch(await site.page("/run", "ls /proc"), new RegExp(`^${Deno.pid}$`, "m"));
  assert.doesNotMatch(
    await site.page("/run", "unshare -Ur id -u; mount -t tmpfs a /mnt && echo done"),
    /^(?:0|done)$/m,
  );
  assert.equal(await site.status("/fill"), 502);
  await site.logged(/ran out of memory|MiB of at most \d+ MiB and was stopped/);
  await until(() => site.status("/"), (status) => status === 200, 30_000);
}

async function runSite(box: Sandbox, name: string, site: App): Promise<void> {
  const pushed = await Pushed.create(box, name, site);
  await pushed.push();
  assert.equal((await pushed.page("/")).trim(), site.says);
}

async function runApp(t: Deno.TestContext, box: Sandbox, name: string, app: App): Promise<void> {
  let site: Pushed | undefined;
  const isLive = await t.step(
    "the app goes live from a push, with a variable, a database and logs",
    async () => {
      site = await Pushed.create(box, name, app);
      if (app.without?.includes("database") !== true) {
        await box.json(["db", "create", "--name", name, "--wait"]);
      }
      await goLive(site, app);
    },
  );
  if (!isLive) return;
  await t.step("the app changes and is rolled back", () => changeAndReturn(box, site!, app));
  await t.step("the app restarts after a crash", () => crash(box, site!));
  await t.step("the app reaches nothing on the machine", () => escape(box, site!, app));
}

Deno.test({
  name: "real apps in other languages go live from a push",
  ignore: WANTED === undefined || Deno.uid() !== 0,
  fn: async (t) => {
    await withSandbox(async (box) => {
      Object.assign(box.env, rustVariables(Deno.env.toObject()));
      const found = new Set((await findToolchains(box.env)).map(({ toolchain }) => toolchain.id));
      // PostgreSQL's user must have access to the data directory.
      await Deno.chmod(box.folder, 0o711);
      await box.start(noServer() === undefined ? ["--postgres", "local"] : []);
      for (const [name, app] of Object.entries({ ...APPS, ...SITES })) {
        if (!WANTED!.includes("all") && !WANTED!.includes(name)) continue;
        const missing = app.needs.filter((id) => !found.has(id));
        const why = missing.length > 0
          ? `this machine has no ${missing.join(", ")}`
          : await app.lacks?.();
        await t.step({
          name: why === undefined ? name : `${name} (skipped: ${why})`,
          ignore: why !== undefined,
          fn: (step) =>
            app === SITES[name] ? runSite(box, name, app) : runApp(step, box, name, app),
        });
      }
    });
  },
});
