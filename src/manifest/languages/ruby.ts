/** @module Ruby: the project with its gems, run by the interpreter on the platform's machine. */
import type { ProjectReader } from "../frameworks/types.ts";
import { commandsOf, findIn, procfileCommand, WHOLE_PROJECT } from "./parts.ts";
import type { Language, LanguagePlan } from "./types.ts";

/** All gems except development gems are stored in the project. */
const BUNDLE = "BUNDLE_PATH=vendor/bundle BUNDLE_WITHOUT=development:test";
const INSTALL = `${BUNDLE} bundle install --quiet`;
const RUN = `${BUNDLE} BUNDLE_FROZEN=true RACK_ENV=production`;
const EXEC = `${RUN} exec bundle exec`;

const PLACEMENTS = [
  ...WHOLE_PROJECT,
  { from: "vendor/bundle", to: "vendor/bundle", optional: true },
];

/** The deployment folder is read-only. */
const RAILS = [
  "RAILS_ENV=production RAILS_LOG_TO_STDOUT=1 RAILS_SERVE_STATIC_FILES=1",
  "BOOTSNAP_CACHE_DIR=/tmp/bootsnap",
].join(" ");

const hasGem = (gemfile: string, name: string): boolean =>
  new RegExp(`^\\s*gem\\s+["']${name}["']`, "m").test(gemfile);

const FILES = ["app.rb", "server.rb", "main.rb", "web.rb"] as const;
const APP = /^\s*require\s+["'](sinatra|roda|hanami|rack)["']/m;
/** Matches an application that listens by itself. */
const SINATRA = /^\s*require\s+["'](sinatra)["']/m;
const OWN_SERVER = /^\s*require\s+["'](socket|webrick)["']/m;

function rails(gemfile: string): LanguagePlan {
  const compiles = ["sprockets-rails", "propshaft", "sass-rails"].some((name) =>
    hasGem(gemfile, name)
  );
  const assets = `${BUNDLE} ${RAILS} SECRET_KEY_BASE_DUMMY=1 bundle exec rails assets:precompile`;
  return {
    reason: "Gemfile requires rails",
    toolchains: ["ruby", "bundler"],
    build: compiles ? `${INSTALL} && ${assets}` : INSTALL,
    start: `${RAILS} ${EXEC} rails server -b "$HOST" -p "$PORT" -P /tmp/server.pid`,
    entry: "Gemfile",
    placements: [
      ...PLACEMENTS,
      { from: "public/assets", to: "public/assets", optional: true },
    ],
    memoryMb: 512,
  };
}

const startApp = (path: string, run: string): string =>
  `APP_ENV=production ${run} ruby ${path} -o "$HOST" -p "$PORT"`;

async function withGems(reader: ProjectReader, gemfile: string): Promise<LanguagePlan | undefined> {
  const plan = (reason: string, start: string): LanguagePlan => ({
    reason,
    start,
    build: INSTALL,
    toolchains: ["ruby", "bundler"],
    entry: "Gemfile",
    placements: PLACEMENTS,
  });
  const command = await procfileCommand(reader);
  if (command !== undefined) {
    const runs = commandsOf(command).map((each) => each.replace(/^bundle exec\s+/, ""));
    const first = runs.slice(0, -1).map((run) => `${RUN} bundle exec ${run}`);
    const start = [...first, `${EXEC} ${runs.at(-1)}`].join(" && ");
    return plan("Procfile specifies the command", start);
  }
  if (hasGem(gemfile, "rails")) return rails(gemfile);
  if (await reader.exists("config.ru")) {
    const run = hasGem(gemfile, "puma")
      ? 'puma -b "tcp://$HOST:$PORT"'
      : 'rackup -o "$HOST" -p "$PORT"';
    return plan("config.ru starts a Rack application", `${EXEC} ${run}`);
  }
  const app = await findIn(reader, FILES, APP);
  return app === undefined ? undefined : plan(
    `${app.path} requires ${app.match[1]}`,
    startApp(app.path, EXEC),
  );
}

export const ruby: Language = {
  id: "ruby",
  name: "Ruby",
  files: ["Gemfile", ...FILES],
  async plan(reader) {
    const gemfile = await reader.readText("Gemfile");
    const found = gemfile === undefined ? undefined : await withGems(reader, gemfile);
    if (found !== undefined) return found;
    // Without a Gemfile, the app uses the machine's gems.
    const app = gemfile === undefined ? await findIn(reader, FILES, SINATRA) : undefined;
    const own = app ?? await findIn(reader, FILES, OWN_SERVER);
    return own === undefined ? undefined : {
      reason: `${own.path} requires ${own.match[1]}`,
      toolchains: ["ruby"],
      start: app === undefined ? `exec ruby ${own.path}` : startApp(app.path, "exec"),
      entry: own.path,
      placements: WHOLE_PROJECT,
    };
  },
};
