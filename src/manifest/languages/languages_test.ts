/** Tests how servers in other languages are recognized, built and started. */
import assert from "node:assert/strict";
import { detectProject } from "../detect/detect_project.ts";
import { findFramework } from "../frameworks/frameworks.ts";
import type { ProjectReader } from "../frameworks/types.ts";

type Files = Readonly<Record<string, string>>;

function readerOf(files: Files): ProjectReader {
  const paths = Object.keys(files);
  const below = (folder: string) => folder === "." ? "" : `${folder}/`;
  return {
    readText: (path) => Promise.resolve(files[path]),
    exists: (path) =>
      Promise.resolve(paths.some((each) => each === path || each.startsWith(`${path}/`))),
    list: (folder) =>
      Promise.resolve(
        paths.filter((path) => path.startsWith(below(folder)))
          .map((path) => path.slice(below(folder).length)),
      ),
  };
}

interface Row {
  readonly files: Files;
  readonly language: string;
  readonly build?: RegExp;
  readonly start: RegExp;
  readonly toolchains: readonly string[];
}

const FASTAPI = "from fastapi import FastAPI\n\napp = FastAPI()\n";
const FLASK = "from flask import Flask\napp = Flask(__name__)\n";
const MANAGE = 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")\n';
const MAIN_GO = "package main\n\nfunc main() {}\n";
const PIP = /^python3 -m venv \.venv && \.venv\/bin\/python -m pip install .* -r requirements\.txt/;

const ROWS: Readonly<Record<string, Row>> = {
  "Go in the module's folder": {
    files: { "go.mod": "module a\n", "main.go": MAIN_GO },
    language: "go",
    build: /^CGO_ENABLED=0 go build .* -o \.svc\/built\/svc-server \.$/,
    start: /^exec \.\/svc-server$/,
    toolchains: ["go"],
  },
  "Go with several commands": {
    files: {
      "go.mod": "module a\n",
      "a.go": "package a\n",
      "cmd/migrate/main.go": MAIN_GO,
      "cmd/server/main.go": MAIN_GO,
    },
    language: "go",
    build: / \.\/cmd\/server$/,
    start: /^exec \.\/svc-server$/,
    toolchains: ["go"],
  },
  "Rust": {
    files: { "Cargo.toml": '[package]\nname = "shop"\n', "Cargo.lock": "", "src/main.rs": "" },
    language: "rust",
    build:
      /^cargo build --release --locked --bin shop .* && cp .*\/release\/shop \.svc\/built\/svc-server$/,
    start: /^exec \.\/svc-server$/,
    toolchains: ["rust"],
  },
  "FastAPI with uvicorn": {
    files: { "requirements.txt": "fastapi\nuvicorn[standard]\n", "app/main.py": FASTAPI },
    language: "python",
    build: PIP,
    start: /exec python3 -m uvicorn app\.main:app --host "\$HOST" --port "\$PORT"$/,
    toolchains: ["python"],
  },
  "FastAPI in src, without a server in its dependencies": {
    files: {
      "pyproject.toml": '[project]\nname = "a"\ndependencies = ["fastapi>=0.1"]\n',
      "src/main.py": FASTAPI,
    },
    language: "python",
    build: /pip install [^&]*'fastapi>=0\.1' && .*pip install [^&]*uvicorn && /,
    start: /-m uvicorn main:app .* --app-dir src$/,
    toolchains: ["python"],
  },
  "FastAPI with uv": {
    files: {
      "pyproject.toml": '[project]\nname = "a"\ndependencies = ["fastapi", "uvicorn"]\n',
      "uv.lock": "",
      "main.py": FASTAPI,
    },
    language: "python",
    build: /uv sync --frozen --no-dev/,
    start: /-m uvicorn main:app/,
    toolchains: ["python", "uv"],
  },
  "Flask with gunicorn": {
    files: { "requirements.txt": "Flask==3.1\ngunicorn\n", "app.py": FLASK },
    language: "python",
    build: PIP,
    start: /exec python3 -m gunicorn app:app --bind "\$HOST:\$PORT"$/,
    toolchains: ["python"],
  },
  "Flask with a factory": {
    files: {
      "requirements.txt": "flask\n",
      "app/__init__.py": "def create_app():\n  return Flask('a')\n",
    },
    language: "python",
    build: /pip install [^&]* gunicorn && /,
    start: /-m gunicorn 'app:create_app\(\)' /,
    toolchains: ["python"],
  },
  "Django, with static files": {
    files: {
      "requirements.txt": "django\n",
      "manage.py": MANAGE,
      "shop/settings.py": 'STATIC_ROOT = "static"\n',
    },
    language: "python",
    build: /manage\.py collectstatic --noinput/,
    start: /-m gunicorn shop\.wsgi --bind/,
    toolchains: ["python"],
  },
  "Python without packages": {
    files: { "server.py": "from http.server import HTTPServer\n" },
    language: "python",
    start: /^exec python3 server\.py$/,
    toolchains: ["python"],
  },
  "Django with a migration before it starts": {
    files: {
      "requirements.txt": "django\ngunicorn\n",
      "manage.py": MANAGE,
      Procfile: "web: python manage.py migrate && gunicorn shop.wsgi --bind 0.0.0.0:$PORT\n",
    },
    language: "python",
    build: PIP,
    start:
      /^export PYTHONUSERBASE="\$PWD\/\.venv" && python3 manage\.py migrate && exec python3 -m gunicorn shop\.wsgi --bind 0\.0\.0\.0:\$PORT$/,
    toolchains: ["python"],
  },
  "Ruby with a migration before it starts": {
    files: {
      Gemfile: 'gem "sequel"\n',
      Procfile: "web: bundle exec rake db:migrate && bundle exec puma -p $PORT\n",
    },
    language: "ruby",
    build: /bundle install/,
    start:
      /^BUNDLE_PATH=\S+ .*production bundle exec rake db:migrate && BUNDLE_PATH=\S+ .*exec bundle exec puma -p \$PORT$/,
    toolchains: ["ruby", "bundler"],
  },
  "Python with a Procfile": {
    files: { "requirements.txt": "gunicorn\n", Procfile: "web: gunicorn shop:app -w 2\n" },
    language: "python",
    build: PIP,
    start: /exec python3 -m gunicorn shop:app -w 2$/,
    toolchains: ["python"],
  },
  "Rails": {
    files: { Gemfile: 'gem "rails"\ngem "propshaft"\n', "config.ru": "run Rails.application" },
    language: "ruby",
    build: /bundle install .*rails assets:precompile$/,
    start: /bundle exec rails server -b "\$HOST" -p "\$PORT"/,
    toolchains: ["ruby", "bundler"],
  },
  "Sinatra": {
    files: { Gemfile: 'gem "sinatra"\n', "app.rb": 'require "sinatra"\n' },
    language: "ruby",
    build: /bundle install/,
    start: /bundle exec ruby app\.rb -o "\$HOST" -p "\$PORT"$/,
    toolchains: ["ruby", "bundler"],
  },
  "Rack with Puma": {
    files: { Gemfile: 'gem "puma"\n', "config.ru": "run App" },
    language: "ruby",
    build: /bundle install/,
    start: /bundle exec puma -b "tcp:\/\/\$HOST:\$PORT"$/,
    toolchains: ["ruby", "bundler"],
  },
  "Sinatra with the machine's gems": {
    files: { "app.rb": 'require "sinatra"\n' },
    language: "ruby",
    start: /^APP_ENV=production exec ruby app\.rb -o "\$HOST" -p "\$PORT"$/,
    toolchains: ["ruby"],
  },
  "Ruby without gems": {
    files: { "server.rb": 'require "socket"\n' },
    language: "ruby",
    start: /^exec ruby server\.rb$/,
    toolchains: ["ruby"],
  },
  "a PHP page": {
    files: { "index.php": "<?php echo 1;" },
    language: "php",
    start: /exec php -S "\$HOST:\$PORT" -t \.$/,
    toolchains: ["php"],
  },
  "Laravel, whose assets Vite builds": {
    files: {
      "artisan": "",
      "composer.json": '{"require": {"php": "^8", "laravel/framework": "12"}}',
      "public/index.php": "<?php",
      "package.json": '{"devDependencies":{"vite":"6"},"scripts":{"build":"vite build"}}',
    },
    language: "php",
    build: /^npm run build && composer install --no-dev/,
    start: /exec php -S "\$HOST:\$PORT" -t public$/,
    toolchains: ["php", "composer"],
  },
  "Spring with Maven": {
    files: { "pom.xml": "<artifactId>spring-boot-starter</artifactId>" },
    language: "java",
    build: /^mvn -B -q -DskipTests package && .* \.svc\/built\/app\.jar$/,
    start: /^SERVER_PORT="\$PORT" .* -jar app\.jar$/,
    toolchains: ["java", "maven"],
  },
  "Java with the Gradle wrapper": {
    files: { "build.gradle.kts": "", gradlew: "" },
    language: "java",
    build: /^sh \.\/gradlew /,
    start: /^exec java .* -jar app\.jar$/,
    toolchains: ["java"],
  },
  "Phoenix": {
    files: { "mix.exs": 'app: :shop,\n[{:phoenix, "~> 1.8"}]' },
    language: "elixir",
    build: /mix release --overwrite/,
    start: /exec bin\/shop start$/,
    toolchains: ["elixir"],
  },
  "any program in a Procfile": {
    files: { Procfile: "release: ./migrate\nweb: ./bin/server --port $PORT\n" },
    language: "procfile",
    start: /^\.\/bin\/server --port \$PORT$/,
    toolchains: [],
  },
};

for (const [name, { files, language, build, start, toolchains }] of Object.entries(ROWS)) {
  Deno.test(`detectProject() plans ${name}`, async () => {
    const reader = readerOf(files);
    const detected = await detectProject(reader);
    assert.equal(detected.framework?.id, language);
    if (build === undefined) assert.equal(detected.buildCommand, undefined);
    else assert.match(detected.buildCommand ?? "", build);
    assert.match(detected.startCommand ?? "", start);
    assert.deepEqual(detected.toolchains, toolchains);
    const found = await findFramework(language)!.server!.find({
      directory: ".",
      paths: Object.keys(files),
      readText: reader.readText,
      project: reader,
    }, undefined);
    assert.ok(found.type === "server");
    assert.equal(found.command, detected.startCommand);
    assert.equal(found.entry, detected.server?.layout?.entry);
  });
}

const OTHERS: Readonly<Record<string, readonly [Files, string | undefined]>> = {
  "a Go library": [{ "go.mod": "module a\n", "a.go": "package a\n" }, undefined],
  "a list of Python packages without a program": [{ "requirements.txt": "mkdocs\n" }, undefined],
  "Python in the browser": [{ "main.py": "from pyscript import display\n" }, undefined],
  "a Rust library": [
    { "Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": "" },
    undefined,
  ],
  "a Hugo site with Go modules": [{ "hugo.toml": "", "go.mod": "module a\n" }, "hugo"],
  "a Jekyll site": [{ Gemfile: 'gem "jekyll"\n', "_config.yml": "" }, "jekyll"],
  "a Node server with a Procfile": [
    {
      "package.json": '{"dependencies":{"express":"5"},"scripts":{"start":"node app.js"}}',
      "app.js": 'import express from "express";\nexpress().listen(3000);\n',
      Procfile: "web: npm start\n",
    },
    "express",
  ],
};

for (const [name, [files, id]] of Object.entries(OTHERS)) {
  Deno.test(`detectProject() does not mistake ${name} for a server in another language`, async () => {
    const { framework, startCommand } = await detectProject(readerOf(files));
    assert.equal(framework?.id, id);
    assert.equal(startCommand, undefined);
  });
}

Deno.test("detectProject() plans no server for a declared static site", async () => {
  const files = { "index.html": "", "go.mod": "module a\n", "main.go": MAIN_GO };
  const { framework } = await detectProject(readerOf(files), { isStatic: true });
  assert.equal(framework, undefined);
});

Deno.test("a Jekyll site without a Gemfile is built by the machine's Jekyll", async () => {
  const files = { "_config.yml": "destination: out\n", "_posts/2026-01-01-a.md": "" };
  const { buildCommand, outputDirs, toolchains } = await detectProject(readerOf(files));
  assert.equal(buildCommand, "jekyll build");
  assert.equal(outputDirs[0], "out");
  assert.deepEqual(toolchains, ["jekyll"]);
});
