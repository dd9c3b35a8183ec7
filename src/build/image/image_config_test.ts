import assert from "node:assert/strict";
import { readImageConfig } from "./image_config.ts";

const inspected = (config: object) =>
  JSON.stringify([{ Id: "0a1b", Os: "linux", Architecture: "amd64", Config: config }]);

const ROWS: readonly (readonly [what: string, config: object, wanted: object])[] = [
  [
    "a command, variables, a folder and a port",
    {
      Entrypoint: ["docker-entrypoint.sh"],
      Cmd: ["node", "main.js"],
      Env: ["PATH=/usr/bin", "A=b=c", "EMPTY="],
      WorkingDir: "/app",
      ExposedPorts: { "8080/tcp": {}, "53/udp": {} },
      Volumes: { "/data": {} },
    },
    {
      args: ["docker-entrypoint.sh", "node", "main.js"],
      env: { PORT: "8080", PATH: "/usr/bin", A: "b=c", EMPTY: "" },
      workdir: "/app",
      volumes: ["/data"],
    },
  ],
  [
    "its own PORT instead of the exposed port",
    { Cmd: ["a"], Env: ["PORT=9000"], ExposedPorts: { "8080/tcp": {} } },
    { args: ["a"], env: { PORT: "9000" }, workdir: "/", volumes: [] },
  ],
  [
    "no port if several are exposed",
    { Cmd: ["a"], ExposedPorts: { "80/tcp": {}, "443/tcp": {} } },
    { args: ["a"], env: {}, workdir: "/", volumes: [] },
  ],
  [
    "null values, which Docker writes",
    { Entrypoint: null, Cmd: null, Env: null, WorkingDir: "", ExposedPorts: null, Volumes: null },
    { args: [], env: {}, workdir: "/", volumes: [] },
  ],
];

for (const [what, config, wanted] of ROWS) {
  Deno.test(`readImageConfig() reads ${what}`, () => {
    assert.deepEqual(readImageConfig(inspected(config)), { platform: "linux/amd64", ...wanted });
  });
}

Deno.test("readImageConfig() returns undefined for output that does not describe an image", () => {
  for (const text of ["", "[]", "{}", '[{"Os":"linux"}]', inspected({ Cmd: "node main.js" })]) {
    assert.equal(readImageConfig(text), undefined, text);
  }
});
