import assert from "node:assert/strict";
import { networkFiles, networkVariables } from "./network_variables.ts";

const ENV = {
  https_proxy: "http://proxy:3128",
  NO_PROXY: "localhost",
  SSL_CERT_FILE: "/etc/ca.pem",
  npm_config_registry: "https://npm.example.com/",
  AWS_SECRET_ACCESS_KEY: "no",
  MY_HTTP_PROXY: "no",
};

Deno.test("networkVariables() takes what tells how the network is reached, and nothing else", () => {
  const { AWS_SECRET_ACCESS_KEY: _, MY_HTTP_PROXY: __, ...network } = ENV;
  assert.deepEqual(networkVariables(ENV), network);
});

Deno.test("networkFiles() names the files of certificates", () => {
  assert.deepEqual(networkFiles({ ...ENV, SSL_CERT_DIR: "relative" }), ["/etc/ca.pem"]);
});
