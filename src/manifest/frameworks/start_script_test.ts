import assert from "node:assert/strict";
import { parseStart } from "./start_script.ts";

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

Deno.test("parseStart() takes the first script that runs a file", () => {
  const scripts = new Map([["start", "nest start"], ["start:prod", "node dist/main"]]);
  assert.deepEqual(parseStart(scripts, ["start", "start:prod"]), {
    program: "node",
    file: "dist/main",
    script: "start:prod",
  });
});
