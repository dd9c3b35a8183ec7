import assert from "node:assert/strict";
import { cleanEnvironment } from "./_program.ts";

Deno.test("cleanEnvironment() keeps network settings, but nothing about the account", () => {
  const env = cleanEnvironment("/tmp/home", {
    PATH: "/usr/bin",
    HOME: "/home/ada",
    NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
    https_proxy: "http://proxy:3128",
    npm_config_registry: "https://npm.example.com/",
    npm_config__authToken: "no",
    SVC_TOKEN: "no",
    XDG_CONFIG_HOME: "/home/ada/.config",
  });
  assert.deepEqual(env, {
    PATH: "/usr/bin",
    HOME: "/tmp/home",
    NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
    https_proxy: "http://proxy:3128",
    npm_config_registry: "https://npm.example.com/",
    DENO_DIR: "/home/ada/.cache/deno",
    NO_COLOR: "1",
  });
});
