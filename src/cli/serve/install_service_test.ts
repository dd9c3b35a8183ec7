import assert from "node:assert/strict";
import { createSuggestedCommands } from "../errors/suggested_commands.ts";
import { dataFolder } from "../session/user_folders.ts";
import { serviceWords } from "./install_service.ts";

const FLAGS = [
  { long: "--data-dir", takesValue: true },
  { long: "--port", takesValue: true },
  { long: "--install", takesValue: false },
  { long: "--dry-run", takesValue: false },
];

function wordsOf(typed: string, env: Readonly<Record<string, string>>): string {
  const lines = createSuggestedCommands(typed.split(" "), FLAGS);
  const from = lines.flags.includes("--data-dir")
    ? "--data-dir"
    : env["SVC_SERVE_CONFIG"] && `${env["SVC_SERVE_CONFIG"]}:1`;
  const found = new Map<string, { value: unknown; from: string }>(
    from ? [["data-dir", { value: "x", from }]] : [],
  );
  const dataDir = from ? "x" : dataFolder(env);
  return serviceWords({ lines, env }, { found, given: { dataDir } }).join(" ");
}

Deno.test("serviceWords() includes the data directory of this run, because the service has no HOME", () => {
  assert.equal(
    wordsOf("serve --port 80 --install --dry-run", { HOME: "/root" }),
    "serve --port 80 --data-dir /root/.local/share/svc",
  );
  assert.equal(
    wordsOf("serve --install", { HOME: "/home/ada", XDG_DATA_HOME: "/data" }),
    "serve --data-dir /data/svc",
  );
});

Deno.test("serviceWords() keeps a given data directory, in either form", () => {
  assert.equal(wordsOf("serve --data-dir x --install", {}), "serve --data-dir x");
  assert.equal(wordsOf("serve --data-dir=x --install", {}), "serve --data-dir=x");
  const env = { SVC_SERVE_CONFIG: "/etc/svc/serve.toml" };
  assert.equal(wordsOf("serve --install", env), "serve --config /etc/svc/serve.toml");
});
