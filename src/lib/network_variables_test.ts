import assert from "node:assert/strict";
import { networkFiles, networkVariables } from "./network_variables.ts";

const NETWORK = {
  https_proxy: "http://user:secret@proxy:3128",
  HTTPS_PROXY: "http://proxy:3128",
  NO_PROXY: "localhost",
  no_proxy: "localhost",
  NODE_EXTRA_CA_CERTS: "/etc/node.pem",
  SSL_CERT_FILE: "/etc/ca.pem",
  SSL_CERT_DIR: "/etc/certs:/opt/certs",
  CURL_CA_BUNDLE: "/etc/curl.pem",
  REQUESTS_CA_BUNDLE: "/etc/requests.pem",
  GIT_SSL_CAINFO: "/etc/git.pem",
  GIT_SSL_CAPATH: "/etc/git",
  DENO_CERT: "/etc/deno.pem",
  DENO_TLS_CA_STORE: "system",
  npm_config_registry: "https://npm.example.com/",
  "npm_config_@acme:registry": "https://acme.example.com/",
  npm_config_cafile: "relative.pem",
  "npm_config_https-proxy": "http://proxy:3128",
  NPM_CONFIG_NOPROXY: "localhost",
  npm_config_strict_ssl: "false",
};

const OTHERS = {
  AWS_SECRET_ACCESS_KEY: "no",
  MY_HTTP_PROXY: "no",
  NODE_OPTIONS: "--require=/tmp/evil.js",
  NODE_TLS_REJECT_UNAUTHORIZED: "0",
  GIT_SSL_KEY: "/root/key.pem",
  DENO_AUTH_TOKENS: "no",
  npm_config__auth: "no",
  npm_config__authToken: "no",
  "npm_config_//npm.example.com/:_authToken": "no",
  npm_config__password: "no",
  npm_config_key: "no",
  npm_config_otp: "no",
  npm_config_script_shell: "/tmp/evil",
  npm_config_cache: "/root/.npm",
  toString: "no",
};

Deno.test("networkVariables() only returns variables that configure network access", () => {
  assert.deepEqual(networkVariables({ ...NETWORK, ...OTHERS, HTTP_PROXY: undefined }), NETWORK);
});

Deno.test("networkVariables() passes on a registry without its password", () => {
  assert.deepEqual(
    networkVariables({ npm_config_registry: "https://ada:secret@npm.example.com/all/" }),
    { npm_config_registry: "https://npm.example.com/all/" },
  );
});

Deno.test("networkVariables() passes on lists of registries without their passwords", () => {
  assert.deepEqual(
    networkVariables({
      GOPROXY: "https://ada:secret@go.example.com,https://go.example.org|direct",
      PIP_EXTRA_INDEX_URL: "https://a.example.com/simple https://ada:secret@b.example.com/simple",
      UV_DEFAULT_INDEX: "https://ada:secret@py.example.com/simple",
      GOFLAGS: "-toolexec=/tmp/evil",
    }),
    {
      GOPROXY: "https://go.example.com/,https://go.example.org|direct",
      PIP_EXTRA_INDEX_URL: "https://a.example.com/simple https://b.example.com/simple",
      UV_DEFAULT_INDEX: "https://py.example.com/simple",
    },
  );
});

Deno.test("networkFiles() returns the absolute paths of certificate files and folders", () => {
  assert.deepEqual(networkFiles({ ...NETWORK, ...OTHERS }), [
    "/etc/node.pem",
    "/etc/ca.pem",
    "/etc/certs",
    "/opt/certs",
    "/etc/curl.pem",
    "/etc/requests.pem",
    "/etc/git.pem",
    "/etc/git",
    "/etc/deno.pem",
  ]);
});
