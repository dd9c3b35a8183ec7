import assert from "node:assert/strict";
import { parseStart, scriptToRun } from "./start_script.ts";

const ROWS: readonly (readonly [command: string, expected: string | undefined])[] = [
  ["node index.js", "node index.js"],
  ["NODE_ENV=production node ./dist/index.js", "node dist/index.js"],
  ["cross-env NODE_ENV=production node --enable-source-maps server.mjs", "node server.mjs"],
  ["node -r dotenv/config --env-file .env src/index.js", "node src/index.js"],
  ["node ./bin/www", "node bin/www"],
  ["node .", "node ."],
  ["npm run build && node dist/main", "node dist/main"],
  ["tsx watch src/index.ts", "tsx src/index.ts"],
  ["npx tsx src/index.ts", "tsx src/index.ts"],
  ["ts-node --project tsconfig.build.json src/main.ts", "ts-node src/main.ts"],
  ["bun run --hot src/index.ts", "bun src/index.ts"],
  ["deno run -A main.ts", "deno main.ts"],
  ["deno serve --allow-net main.ts", "deno main.ts"],
  ["fastify start -l info app.js", "fastify app.js"],
  ["react-router-serve ./build/server/index.js", "react-router-serve build/server/index.js"],
  ["dotenv -e .env.production -- node server.js", "node server.js"],
  ["pm2-runtime start -i max server.js", "pm2-runtime server.js"],
  ["npm run serve", "node other.js"],
  ["pnpm serve", "node other.js"],
  ["node -e 'console.log(1)'", undefined],
  ["node ../elsewhere/server.js", undefined],
  ["node $(pwd)/server.js", undefined],
  ["vite preview --port 3000", undefined],
  ["next start", undefined],
  ["npm run start", undefined],
  ["", undefined],
];

for (const [command, expected] of ROWS) {
  Deno.test(`parseStart() reads ${JSON.stringify(command)}`, () => {
    const scripts = new Map([["start", command], ["serve", "node other.js"]]);
    const found = parseStart(scripts, ["start"]);
    assert.equal(found === undefined ? undefined : `${found.program} ${found.file}`, expected);
  });
}

Deno.test("parseStart() uses the first script that runs a file", () => {
  const scripts = new Map([["start", "nest start"], ["start:prod", "node dist/main"]]);
  assert.deepEqual(parseStart(scripts, ["start", "start:prod"]), {
    program: "node",
    file: "dist/main",
    script: "start:prod",
  });
});

/** Scripts next to `start` can also decide whether running the file alone is equivalent. */
const TO_RUN:
  readonly (readonly [scripts: Record<string, string>, expected: string | undefined])[] = [
    [{ start: "node server.js" }, undefined],
    [{ start: "node ./dist/main" }, undefined],
    [{ start: "node ." }, undefined],
    [{ start: "nodemon server.js" }, undefined],
    [{ start: "bun server.ts" }, undefined],
    [{ start: "node --import ./setup.js server.js" }, "start"],
    [{ start: "node server.js --loud" }, "start"],
    [{ start: "A=1 node server.js" }, "start"],
    [{ start: "cross-env A=1 node server.js" }, "start"],
    [{ start: "node migrate.js && node server.js" }, "start"],
    [{ start: "tsx server.ts" }, "start"],
    [{ start: "npm run serve", serve: "node server.js" }, "start"],
    [{ start: "run-p server worker" }, "start"],
    [{ start: "node server.js", prestart: "node migrate.js" }, "start"],
    [{ start: "node server.js", poststart: "echo" }, "start"],
    [{ start: "nest start", "start:prod": "node -r ./a dist/main" }, "start:prod"],
    [{ start: "vite preview" }, undefined],
    [{ start: "with-env A=1 node server.js" }, "start"],
    [{ start: "./start.sh" }, "start"],
    [{ start: "" }, undefined],
  ];

for (const [scripts, expected] of TO_RUN) {
  Deno.test(`scriptToRun() returns ${expected ?? "nothing"} for ${JSON.stringify(scripts)}`, () => {
    const found = scriptToRun(new Map(Object.entries(scripts)), ["start", "start:prod"]);
    assert.equal(found, expected);
  });
}
