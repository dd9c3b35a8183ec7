/**
 * Deploys a project with only a Dockerfile. With Podman or Docker, svc builds the image and runs it
 * in the sandbox. Without them, the deployment must fail, and the error must say that they are
 * missing.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { git } from "../../src/lib/_test_git.ts";
import { until } from "../../src/lib/_test_until.ts";
import { findToolchains } from "../../src/toolchains/find_toolchains.ts";
import { testNeeding } from "../helpers/empty_root.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const MACHINE = Deno.env.toObject();

/**
 * A static program, as in an image without an operating system. The request path selects an action.
 */
const SERVER = `package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
)

func do(deed string, what string) (string, error) {
	switch deed {
	case "read":
		text, err := os.ReadFile(what)
		return string(text), err
	case "write":
		return "written", os.WriteFile(what, []byte("a"), 0o600)
	case "list":
		entries, err := os.ReadDir(what)
		names := []string{}
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return strings.Join(names, " "), err
	case "connect":
		connection, err := net.Dial("tcp", what)
		if err == nil {
			connection.Close()
		}
		return "connected", err
	}
	folder, err := os.Getwd()
	words := strings.Join(os.Args, " ")
	return fmt.Sprint(words, " in ", folder, " as ", os.Getenv("HOME"), ": ", os.Getenv("GREETING")), err
}

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("asked for", r.URL.Path)
		text, err := do(r.URL.Path[1:], r.URL.RawQuery)
		if err != nil {
			text = err.Error()
		}
		fmt.Fprint(w, text)
	})
	panic(http.ListenAndServe(":8080", nil))
}
`;

const DOCKERFILE = `FROM scratch
COPY server /usr/local/bin/server
COPY site /srv/site
COPY etc /etc
ENV GREETING=image
EXPOSE 8080
USER 1000
WORKDIR /srv/site
ENTRYPOINT ["server"]
CMD ["--page", "two words"]
`;

const FILES: Readonly<Record<string, string>> = {
  "Dockerfile": DOCKERFILE,
  "main.go": SERVER,
  "site/page.txt": "page",
  "site/.env": "FROM_IMAGE=1\n",
  "site/node_modules/a/index.js": "module",
  "etc/passwd": "app:x:1000:1000::/srv:/bin/sh\n",
  "etc/hosts": "10.0.0.1 secret\n",
  "etc/app.conf": "settings",
};

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
}

async function succeeds(program: string, args: readonly string[], cwd?: string): Promise<boolean> {
  const { success } = await new Deno.Command(program, {
    args: [...args],
    ...(cwd === undefined ? {} : { cwd }),
    env: { CGO_ENABLED: "0" },
    stdout: "null",
    stderr: "null",
  }).output().catch(() => ({ success: false }));
  return success;
}

const FOUND = await findToolchains(MACHINE, ["container", "go"]);
const ENGINE = FOUND.find(({ toolchain }) => toolchain.id === "container")?.program;

/** Names of the images that the tests have built. */
const BUILT = new Set<string>();

const removeImages = () => succeeds(ENGINE!, ["image", "rm", "--force", ...BUILT]);

/** Returns the reason why images cannot be built here; `undefined` if they can. */
async function whyNot(): Promise<string | undefined> {
  if (ENGINE === undefined) return "this machine has no Podman or Docker";
  if (FOUND.length < 2) return "this machine has no Go, which compiles the image's program";
  const folder = await Deno.makeTempDir();
  try {
    await write(folder, { Dockerfile: "FROM scratch\nCOPY Dockerfile /\n" });
    BUILT.add("localhost/svc-test-probe");
    const args = ["build", "--tag", ...BUILT, folder];
    return await succeeds(ENGINE, args) ? undefined : `${ENGINE} cannot build images`;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const WHY_NOT = await whyNot();

async function deploy(box: Sandbox, name: string): Promise<string> {
  const { code, stderr } = await box.tool(["deploy", name, "--project-id", name, "--prod"]);
  assert.equal(code, 0, `${stderr}${box.platform?.errors()}`);
  BUILT.add(/--tag (\S+)/.exec(stderr)![1]!);
  return stderr;
}

const askFor = (box: Sandbox) => async (deed: string, what: string): Promise<string> =>
  (await box.page("image.localhost", `/${deed}?${what}`)).text;

async function goesLive(box: Sandbox): Promise<void> {
  const folder = join(box.site, "image");
  await write(folder, FILES);
  for (const [path, target] of [["site/link", "/srv/site/page.txt"], ["site/out", "/../etc"]]) {
    await Deno.symlink(target!, join(folder, path!));
  }
  assert.ok(await succeeds("go", ["build", "-o", "server", "main.go"], folder), "Go failed");
  await box.json(["projects", "create", "--name", "image"]);
  const said = await deploy(box, "image");
  assert.match(said, /Dockerfile: Dockerfile is the only file that describes how it runs/);
  assert.match(said, /Start: server --page two words/);
  const ask = askFor(box);
  const shown = "/usr/local/bin/server --page two words in /srv/site as /tmp: image";
  assert.equal(await ask("", ""), shown);
  assert.equal(await ask("read", "link"), "page", "a link resolves to the image's file");
  assert.equal(await ask("read", "/srv/site/.env"), "FROM_IMAGE=1\n");
  assert.equal(await ask("read", "node_modules/a/index.js"), "module");
  assert.equal(await ask("read", "/etc/app.conf"), "settings");
  await until(async () => {
    const { stdout } = await box.tool(["logs", "--project-id", "image"]);
    return stdout.includes("asked for /read");
  });
}

async function escapes(box: Sandbox): Promise<void> {
  const ask = askFor(box);
  const missing = /no such file or directory/;
  assert.match(await ask("list", "/"), /^dev etc proc run srv tmp usr$/);
  assert.equal(
    await ask("list", "out"),
    await ask("list", "/etc"),
    "a link cannot leave the image's root",
  );
  assert.match(await ask("read", "/etc/passwd"), /^app:.*\nsvc:x:\d+:/);
  assert.doesNotMatch(await ask("read", "/etc/hosts"), /secret/);
  for (const path of ["/etc/shadow", "/usr/bin/env", join(box.dataDir, "keys.json"), "/app"]) {
    assert.match(await ask("read", path), missing, path);
  }
  assert.match(await ask("read", "/proc/1/environ"), missing);
  assert.equal(await ask("write", "/tmp/a"), "written");
  assert.equal(await ask("write", "/run/a.pid"), "written");
  for (const path of ["/srv/site/a", "/a", "/etc/a"]) {
    assert.match(await ask("write", path), /permission denied|read-only file system/, path);
  }
  using service = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  assert.match(await ask("connect", `127.0.0.1:${service.addr.port}`), /connection refused/);
  assert.equal(await ask("connect", "localhost:8080"), "connected");
}

async function changes(box: Sandbox): Promise<void> {
  const set = ["env", "set", "GREETING", "--plain", "--value", "hello", "--all"];
  await box.json([...set, "--project-id", "image"]);
  await deploy(box, "image");
  assert.match((await box.page("image.localhost", "/")).text, /: hello$/);
  await box.json(["rollback", "--project-id", "image"]);
  assert.match((await box.page("image.localhost", "/")).text, /: image$/);
}

async function keepsImage(box: Sandbox): Promise<void> {
  const args = ["deploy", "image", "--project-id", "image", "--skip-build"];
  const { code, stderr } = await box.tool(args);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /Running/);
}

async function isRefused(box: Sandbox): Promise<void> {
  const folder = join(box.site, "image");
  await write(folder, { Dockerfile: DOCKERFILE.replace('["server"]', '["/bin/nothing"]') });
  const { code, stderr } = await box.tool(["deploy", "image", "--project-id", "image"]);
  assert.equal(code, 1);
  assert.match(stderr, /The image does not contain its start program \/bin\/nothing/);
}

Deno.test({
  name: `a project with only a Dockerfile goes live${
    WHY_NOT === undefined ? "" : ` (skipped: ${WHY_NOT})`
  }`,
  ignore: WHY_NOT !== undefined,
  fn: (t) =>
    withSandbox(async (box) => {
      await using cleanup = new AsyncDisposableStack();
      cleanup.defer(async () => void await removeImages());
      box.env.PATH = MACHINE.PATH ?? "";
      await box.start();
      await t.step("the image's command, files and variables are used", () => goesLive(box));
      await t.step("the container reaches nothing else on the machine", () => escapes(box));
      await t.step("the container gets project variables and is rolled back", () => changes(box));
      await t.step("--skip-build deploys the existing image", () => keepsImage(box));
      await t.step("an image without its program is refused", () => isRefused(box));
    }),
});

const PAGE = { "index.html": "<h1>page</h1>", "Dockerfile": "FROM node\nCMD node main.js\n" };

Deno.test("a Dockerfile that this machine cannot build stops the deployment, with advice", () =>
  withSandbox(async (box) => {
    await box.start();
    await write(join(box.site, "shop"), PAGE);
    await box.json(["projects", "create", "--name", "shop"]);
    const args = ["deploy", "shop", "--project-id", "shop", "--prod"];
    const { code, stderr } = await box.tool(args, { PATH: "/nowhere" });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /build the image from Dockerfile, which starts node main\.js: this machine has no/,
    );
    assert.match(stderr, /Install Podman with "apt-get install podman"/);
    assert.match(
      stderr,
      /\[build\]\n\s*runtime = "command"\n\s*\[server\]\n\s*command = "node main/,
    );
    assert.match(stderr, /\[build\]\n\s*static = true/);
    assert.equal((await box.page("shop.localhost", "/")).status, 404);
  }));

testNeeding("git", "sh")(
  "a build from git builds no image, and reports that containers need svc deploy",
  () =>
    withSandbox(async (box) => {
      await box.start();
      await write(box.site, PAGE);
      await git(box.site, "init", "--quiet", "--initial-branch=main");
      await box.json(["projects", "create", "--name", "pushed", "--link"]);
      await box.json(["link", "--git-remote"]);
      await git(box.site, "add", "--all");
      await git(box.site, "commit", "--quiet", "--message", "First");
      const { stderr } = await new Deno.Command("git", {
        args: ["-C", box.site, "push", "svc", "main"],
        env: { ...box.env, GIT_TERMINAL_PROMPT: "0" },
        clearEnv: true,
      }).output();
      const said = new TextDecoder().decode(stderr);
      assert.match(said, /builds from git run in a sandbox without containers/);
      assert.match(said, /Run "svc deploy" on a machine with Podman or Docker/);
    }),
);
