import assert from "node:assert/strict";
import { hiddenPlaces } from "./build_settings.ts";

Deno.test("hiddenPlaces() lists the database with SQLite's other files", () => {
  const places = hiddenPlaces({ kv: "/opt/kv", blobs: "/opt/blobs", tls: { keyFile: "/opt/key" } });
  assert.deepEqual(places, [
    "/opt/kv",
    "/opt/kv-wal",
    "/opt/kv-shm",
    "/opt/kv-journal",
    "/opt/blobs",
    "/opt/key",
  ]);
});

Deno.test("hiddenPlaces() omits locations on other machines", () => {
  assert.deepEqual(hiddenPlaces({ kv: "https://kv.example.com", blobs: "s3://bucket" }), []);
  assert.deepEqual(hiddenPlaces({ kv: "postgres://svc@pg1:5432,pg2:5433/svc" }), []);
});

Deno.test("hiddenPlaces() lists the files that contain keys, settings and passwords", () => {
  const places = hiddenPlaces({
    keysFile: "/etc/keys.json",
    configFile: "/etc/serve.toml",
    env: { PGPASSFILE: "/etc/pgpass" },
  });
  assert.deepEqual(places, ["/etc/keys.json", "/etc/serve.toml", "/etc/pgpass"]);
});
