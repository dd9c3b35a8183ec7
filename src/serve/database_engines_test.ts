import assert from "node:assert/strict";
import { databaseListener } from "./database_engines.ts";

Deno.test("databaseListener() uses the port after the platform's unless a port is set", () => {
  const place = { publicOrigin: "http://localhost:9000", now: () => 0, onTrouble() {} };
  const portOf = (port: number, postgresPort?: number | "none") =>
    databaseListener({ host: "127.0.0.1", port, postgresPort }, place).port;
  assert.equal(portOf(8787), 8788);
  assert.equal(portOf(9000), 9001);
  assert.equal(portOf(0), 0);
  assert.equal(portOf(65535), 0);
  assert.equal(portOf(9000, 7000), 7000);
  assert.equal(portOf(9000, "none"), null);
});
