/**
 * Deploys servers in other languages with `svc deploy`, and checks logs, variables, rollback and
 * the limits of the sandbox. The apps do not need packages. Languages without a toolchain on this
 * machine are skipped.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { findToolchains } from "../../src/toolchains/find_toolchains.ts";
import { until } from "../../src/lib/_test_until.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const MACHINE = Deno.env.toObject();

interface App {
  readonly files: Readonly<Record<string, string>>;
  /** Toolchains that the app needs. */
  readonly needs: readonly string[];
}

const GO: App = {
  needs: ["go"],
  files: {
    "go.mod": "module example.com/app\n\ngo 1.21\n",
    "main.go": `package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("asked for", r.URL.Path)
		page, _ := os.ReadFile("static/page.txt")
		fmt.Fprintf(w, "go %s %s", os.Getenv("GREETING"), page)
	})
	panic(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}
`,
    "static/page.txt": "page",
  },
};

const RUST: App = {
  needs: ["rust"],
  files: {
    "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/main.rs": `use std::io::{Read, Write};
use std::net::TcpListener;

fn main() {
    let port = std::env::var("PORT").unwrap();
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).unwrap();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let mut head = [0; 4096];
        let count = stream.read(&mut head).unwrap();
        let path = String::from_utf8_lossy(&head[..count]);
        println!("asked for {}", path.split(' ').nth(1).unwrap_or("nothing"));
        let body = format!("rust {} page", std::env::var("GREETING").unwrap_or_default());
        let size = body.len();
        let answer =
            format!("HTTP/1.1 200 OK\\r\\ncontent-length: {size}\\r\\nconnection: close\\r\\n\\r\\n{body}");
        stream.write_all(answer.as_bytes()).unwrap();
    }
}
`,
  },
};

const JAVA: App = {
  needs: ["java"],
  files: {
    // The commands in svc.toml build and start a project of an unknown kind.
    "svc.toml": `[build]
command = "javac -d out Main.java"
output_dirs = ["out"]
runtime = "command"

[server]
command = "exec java -XX:MaxRAM=\${SVC_MEMORY_MB}m -cp . Main"
`,
    "Main.java": `import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

public class Main {
  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(System.getenv("PORT"));
    HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
    server.createContext("/", exchange -> {
      System.out.println("asked for " + exchange.getRequestURI());
      byte[] body = ("java " + System.getenv("GREETING") + " page").getBytes();
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
    server.start();
  }
}
`,
  },
};

const RUBY: App = {
  needs: ["ruby"],
  files: {
    "server.rb": `require "socket"
server = TCPServer.new(ENV["HOST"], ENV["PORT"].to_i)
loop do
  client = server.accept
  path = client.gets.to_s.split(" ")[1]
  puts "asked for #{path}"
  $stdout.flush
  body = "ruby #{ENV["GREETING"]} page"
  client.write "HTTP/1.1 200 OK\\r\\ncontent-length: #{body.bytesize}\\r\\nconnection: close\\r\\n\\r\\n#{body}"
  client.close
end
`,
  },
};

const PHP: App = {
  needs: ["php"],
  files: {
    "public/index.php":
      '<?php error_log("asked for " . $_SERVER["REQUEST_URI"]); echo "php " . getenv("GREETING") . " page";',
    "public/style.css": "a{}",
  },
};

/** Runs the action in a request's path and query, and responds with the result. */
const PYTHON_SERVER = `import http.server, os, socket, subprocess, urllib.parse

OTHERS = []

def read(path):
    return open(path).read()

def connect(where):
    host, port = where.rsplit(":", 1)
    socket.create_connection((host, int(port)), 2).close()
    return "connected"

def listen(where):
    host, port = where.rsplit(":", 1)
    OTHERS.append(socket.create_server((host, int(port))))
    return "listening"

def run(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout

def fork(_):
    children = []
    try:
        while len(children) < 5000:
            # A fork would copy this interpreter 500 times, and reach the memory limit first.
            children.append(os.posix_spawnp("sleep", ["sleep", "60"], os.environ))
        return "no limit"
    except OSError as error:
        return "%s after %d" % (error.strerror, len(children))
    finally:
        for pid in children:
            os.kill(pid, 9)
            os.waitpid(pid, 0)

def fill(_):
    parts = []
    while True:
        parts.append(bytearray(os.urandom(1 << 20)))

def write(path):
    with open(path, "w") as file:
        file.write("written")
    return read(path)

DEEDS = {f.__name__: f for f in [read, connect, listen, run, fork, fill, write]}

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        print("asked for", self.path)
        url = urllib.parse.urlsplit(self.path)
        deed = DEEDS.get(url.path[1:])
        try:
            text = "python %s page" % os.environ.get("GREETING") if deed is None else str(deed(urllib.parse.unquote(url.query)))
        except OSError as error:
            text = os.strerror(error.errno) if error.errno else str(error)
        body = text.encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

http.server.ThreadingHTTPServer(("", int(os.environ["PORT"])), Handler).serve_forever()
`;

const PYTHON: App = { needs: ["python"], files: { "server.py": PYTHON_SERVER } };

const APPS: Readonly<Record<string, App>> = {
  python: PYTHON,
  go: GO,
  rust: RUST,
  java: JAVA,
  ruby: RUBY,
  php: PHP,
};

/**
 * Folders in which toolchains keep the files that they have built and fetched. Tests share these
 * folders because each test's home folder is empty.
 */
const CACHES: Readonly<Record<string, string>> = {
  GOCACHE: `${MACHINE.HOME}/.cache/go-build`,
  GOFLAGS: "",
  RUSTUP_HOME: MACHINE.RUSTUP_HOME ?? `${MACHINE.HOME}/.rustup`,
  CARGO_HOME: MACHINE.CARGO_HOME ?? `${MACHINE.HOME}/.cargo`,
};

async function write(folder: string, files: App["files"]): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const absolute = join(folder, path);
    await Deno.mkdir(dirname(absolute), { recursive: true });
    await Deno.writeTextFile(absolute, text);
  }
}

async function deploy(box: Sandbox, name: string): Promise<string> {
  const args = ["deploy", name, "--project-id", name, "--prod"];
  const { code, stdout, stderr } = await box.tool(args, CACHES);
  assert.equal(code, 0, `${stdout}${stderr}`);
  return stderr;
}

const textOf = async (box: Sandbox, name: string, path: string): Promise<string> => {
  const { status, body } = await box.page(`${name}.localhost`, path);
  assert.equal(status, 200, `${name}${path}: ${body}`);
  return new TextDecoder().decode(body);
};

async function logsOf(box: Sandbox, name: string): Promise<string> {
  const { stdout } = await box.tool(["logs", "--project-id", name, "--limit", "200"]);
  return stdout;
}

/** Returns the addresses at which servers are listening, as the machine sees them. */
function serverAddresses(): readonly string[] {
  const rows = Deno.readTextFileSync("/proc/net/tcp").split("\n").slice(1);
  return rows.flatMap((row) => {
    const [, local = "", , state] = row.trim().split(/\s+/);
    const [hex = "", port = ""] = local.split(":");
    const bytes = hex.match(/../g)?.reverse().map((each) => Number.parseInt(each, 16)) ?? [];
    const isServer = state === "0A" && bytes[0] === 127 && bytes[1]! >= 128;
    return isServer ? [`${bytes.join(".")}:${Number.parseInt(port, 16)}`] : [];
  });
}

Deno.test("servers in other languages go live", async (t) => {
  const found = new Set(
    (await findToolchains(MACHINE)).map(({ toolchain }) => toolchain.id),
  );
  await withSandbox(async (box) => {
    box.env.PATH = MACHINE.PATH ?? "";
    await box.start();
    const live: string[] = [];
    for (const [name, { files, needs }] of Object.entries(APPS)) {
      const ignore = !needs.every((id) => found.has(id));
      const why = ignore ? ` (skipped: this machine has no ${needs.join(", ")})` : "";
      const step = { name: `${name}${why}`, ignore, fn: () => goLive(box, name, files) };
      if (await t.step(step) && !ignore) live.push(name);
    }
    assert.ok(live.includes("python"), "the remaining steps need Python");
    await t.step(
      "if a toolchain is missing, the deployment fails and reports how to install it",
      () => missing(box),
    );
    await t.step("a rollback restores the server", () => rollBack(box));
    await t.step("a server cannot reach anything on the machine", () => escape(box));
    await t.step("a server cannot exceed its process and memory limits", () => exhaust(box));
  });
});

async function goLive(box: Sandbox, name: string, files: App["files"]): Promise<void> {
  await write(join(box.site, name), files);
  await box.json(["projects", "create", "--name", name]);
  await box.json([
    "env",
    "set",
    "GREETING",
    "--plain",
    "--value",
    "hello",
    "--all",
    "--project-id",
    name,
  ]);
  const said = await deploy(box, name);
  if (files["svc.toml"] === undefined) assert.match(said, /Start: /);
  assert.equal(await textOf(box, name, "/a?b=c"), `${name} hello page`);
  await until(async () => (await logsOf(box, name)).includes("asked for /a"));
  if (name === "php") assert.equal(await textOf(box, name, "/style.css"), "a{}");
}

async function missing(box: Sandbox): Promise<void> {
  await write(join(box.site, "phoenix"), {
    "mix.exs": 'app: :shop,\ndeps: [{:phoenix, "~> 1.8"}]\n',
  });
  await box.json(["projects", "create", "--name", "phoenix"]);
  const { code, stderr } = await box.tool(["deploy", "phoenix", "--project-id", "phoenix"], {
    PATH: "/nowhere",
  });
  assert.equal(code, 1);
  assert.match(stderr, /Build: export MIX_ENV=prod/);
  assert.match(stderr, /this machine has no Elixir/);
  assert.match(stderr, /apt-get install elixir/);
}

async function rollBack(box: Sandbox): Promise<void> {
  const text = PYTHON_SERVER.replace("%s page", "%s changed");
  await write(join(box.site, "python"), { "server.py": text });
  await deploy(box, "python");
  assert.equal(await textOf(box, "python", "/"), "python hello changed");
  await box.json(["rollback", "--project-id", "python"]);
  assert.equal(await textOf(box, "python", "/"), "python hello page");
}

async function escape(box: Sandbox): Promise<void> {
  const ask = (deed: string, what: string) =>
    textOf(box, "python", `/${deed}?${encodeURIComponent(what)}`);
  const nothing = "No such file or directory";
  assert.equal(await ask("read", "/etc/shadow"), nothing);
  assert.equal(await ask("read", join(box.dataDir, "keys.json")), nothing);
  assert.equal(await ask("read", "/proc/1/environ"), nothing);
  assert.match(await ask("run", "cat /etc/shadow; ls /; id -un"), /^app\n[^]*\bsvc\n$/);
  assert.equal(await ask("write", "/tmp/a"), "written");
  assert.match(await ask("write", "/app/a"), /Permission denied|Read-only file system/);
  const refused = "Connection refused";
  using service = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  assert.equal(await ask("connect", `127.0.0.1:${service.addr.port}`), refused);
  assert.equal(await ask("connect", `127.1.2.3:${service.addr.port}`), refused);
  assert.equal(await ask("connect", "127.0.0.1:3000"), "connected");
  assert.equal(await ask("connect", "localhost:3000"), "connected");
  const answers: string[] = [];
  for (const address of serverAddresses()) {
    const [hostname = "", port] = address.split(":");
    (await Deno.connect({ hostname, port: Number(port) })).close();
    answers.push(await ask("connect", address));
  }
  // The server cannot reach anything but itself.
  assert.equal(answers.filter((answer) => answer === "connected").length, 1);
  assert.ok(
    answers.length > 2 && answers.filter((answer) => answer !== "connected")
      .every((answer) => answer === refused || answer === "Permission denied"),
  );
  assert.equal(await ask("listen", "0.0.0.0:3000"), "Address already in use");
  assert.equal(await ask("listen", "127.0.0.1:9090"), "listening");
  assert.equal(await ask("connect", "127.0.0.1:9090"), "connected");
}

async function exhaust(box: Sandbox): Promise<void> {
  for (let round = 0; round < 3; round++) {
    // The processes from the previous round have exited, so they no longer count.
    const bomb = await textOf(box, "python", "/fork");
    assert.match(bomb, /^Resource temporarily unavailable after 12\d$/);
  }
  assert.equal(await textOf(box, "python", "/"), "python hello page");
  assert.equal((await box.page("python.localhost", "/fill")).status, 502);
  const OVER = /ran out of memory|MiB of at most 256 MiB and was stopped/;
  await until(async () => OVER.test(await logsOf(box, "python")));
  await until(async () => (await box.page("python.localhost", "/")).status === 200);
}
