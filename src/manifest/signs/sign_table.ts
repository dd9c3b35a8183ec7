/**
 * @module The table of signs that a folder contains a server, or a project for another platform.
 */
import type { FileSign, LanguageSigns } from "./types.ts";

/** npm packages that create a server in the file that imports them. */
export const SERVER_PACKAGES: readonly string[] = [
  "express",
  "koa",
  "fastify",
  "h3",
  "hono",
  "@hono/node-server",
  "@hapi/hapi",
  "@nestjs/core",
  "polka",
  "restify",
  "connect",
  "elysia",
  "micro",
  "srvx",
  "find-my-way",
  "@apollo/server",
  "apollo-server",
  "apollo-server-express",
  "graphql-yoga",
  "@feathersjs/express",
  "@feathersjs/koa",
  "@loopback/rest",
  "hyper-express",
  "uWebSockets.js",
  "moleculer-web",
  "socket.io",
  "ws",
  "@trpc/server",
  "serverless-http",
];

/** npm packages that are complete servers, so no file of the project needs to import them. */
export const WHOLE_SERVERS: readonly string[] = [
  "@strapi/strapi",
  "directus",
  "@adonisjs/core",
  "sails",
  "@keystone-6/core",
  "@medusajs/medusa",
  "ghost",
  "parse-server",
  "meteor-node-stubs",
];

const PYTHON_SERVERS =
  "flask|django|fastapi|starlette|uvicorn|gunicorn|hypercorn|sanic|aiohttp|tornado|bottle|falcon|litestar|quart|pyramid|streamlit|gradio|dash|waitress";
const PYTHON_CODE: FileSign["shows"] = [[
  new RegExp(`^\\s*(?:from|import)\\s+(${PYTHON_SERVERS})\\b`, "m"),
  "imports $1",
]];

/** Describes a file that lists a Python program's dependencies. */
const pythonList = (file: string): FileSign => ({
  file,
  shows: [[new RegExp(`^[\\s"']*(${PYTHON_SERVERS})\\b`, "im"), "requires $1"]],
  seen: "lists Python packages",
});

/** Matches a gem that generates a static site. */
const RUBY_SITES = /^\s*gem\s+["'](?:jekyll|github-pages|middleman|nanoc|bridgetown)["']/m;

export const LANGUAGES: readonly LanguageSigns[] = [
  {
    name: "Python",
    files: [
      { file: "manage.py", seen: "manages a Django project" },
      ...["requirements.txt", "pyproject.toml", "Pipfile"].map(pythonList),
      ...["app.py", "main.py", "server.py", "wsgi.py", "asgi.py", "src/main.py", "app/main.py"]
        .map((file): FileSign => ({ file, shows: PYTHON_CODE })),
    ],
    sources: /\.py$/i,
  },
  {
    name: "Ruby",
    files: [
      { file: "config.ru", seen: "starts a Rack application" },
      {
        file: "Gemfile",
        shows: [[/^\s*gem\s+["'](rails|sinatra|roda|hanami|puma|rackup|rack)["']/m, "requires $1"]],
        seen: "lists Ruby packages",
        unless: RUBY_SITES,
      },
    ],
    sources: /\.(?:rb|erb|ru)$/i,
  },
  {
    name: "PHP",
    files: [
      { file: "artisan", seen: "manages a Laravel project" },
      {
        file: "composer.json",
        shows: [[
          /"(laravel\/framework|symfony\/[\w-]+|slim\/slim|cakephp\/cakephp|codeigniter4\/framework)"/,
          "requires $1",
        ]],
        seen: "lists PHP packages",
      },
      { file: "index.php", seen: "is a PHP page" },
      { file: "public/index.php", seen: "is a PHP page" },
    ],
    sources: /\.(?:php\d?|phtml)$/i,
  },
  {
    name: "Go",
    files: [{ file: "go.mod", shows: [[/^module\s+(\S+)/m, "is the Go module $1"]], seen: "" }],
    sources: /\.go$/i,
  },
  {
    name: "Rust",
    files: [{
      file: "Cargo.toml",
      shows: [[/^(axum|actix-web|rocket|warp|poem|salvo|hyper|tide)\b/m, "requires $1"]],
      seen: "describes a Rust program",
    }],
    sources: /\.rs$/i,
  },
  {
    name: "Java",
    files: ["pom.xml", "build.gradle", "build.gradle.kts"].map((file): FileSign => ({
      file,
      shows: [[/(spring-boot|quarkus|micronaut|ktor|dropwizard|javalin)/, "requires $1"]],
      seen: "builds a program for the JVM",
    })),
    sources: /\.(?:java|kts?)$/i,
  },
  {
    name: "Scala",
    files: [{ file: "build.sbt", seen: "builds a Scala program" }],
    sources: /\.scala$/i,
  },
  {
    name: "Elixir",
    files: [{
      file: "mix.exs",
      shows: [[/\{:(phoenix|plug_cowboy|bandit)\b/, "requires $1"]],
      seen: "builds an Elixir program",
    }],
    sources: /\.(?:exs?|eex|heex)$/i,
  },
  {
    name: "Gleam",
    files: [{ file: "gleam.toml", seen: "builds a Gleam program" }],
    sources: /\.gleam$/i,
  },
  {
    name: "Swift",
    files: [{ file: "Package.swift", seen: "builds a Swift program" }],
    sources: /\.swift$/i,
  },
  {
    name: "Crystal",
    files: [{ file: "shard.yml", seen: "builds a Crystal program" }],
    sources: /\.cr$/i,
  },
];

/** Matches images in a Dockerfile's last `FROM` that only serve files. */
const FILE_SERVER_IMAGE =
  /(?:^|\/)(?:nginx(?:-unprivileged)?|httpd|caddy|lighttpd|busybox|static-web-server|goStatic|darkhttpd)(?:[:@]|$)/i;

/** Matches a Procfile command that serves files. */
const SERVES_FILES =
  /^web:\s*(?:npx\s+(?:-\S+\s+)*|node_modules\/\.bin\/)?(?:serve|http-server)\b/m;

/**
 * Returns the image in the last `FROM` of a Dockerfile. If that `FROM` refers to a stage, returns
 * that stage's image.
 */
function lastImage(text: string): string | undefined {
  const stages = [...text.matchAll(/^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?/gim)];
  const named = new Map(stages.map(([, image, name]) => [name?.toLowerCase(), image]));
  const last = stages.at(-1)?.[1];
  return named.get(last?.toLowerCase()) ?? last;
}

/**
 * Returns whether a Dockerfile only packs files for a web server. In that case, the site needs no
 * container.
 */
export const packsFiles = (text: string): boolean => FILE_SERVER_IMAGE.test(lastImage(text) ?? "");

/** Files that tell other platforms how to run a project, in any language. */
export const CONTAINERS: readonly FileSign[] = [
  ...["Dockerfile", "Containerfile"].map((file): FileSign => ({
    file,
    shows: [
      [/^\s*(?:CMD|ENTRYPOINT)\s+(.{1,80})/im, "starts $1"],
      [/^\s*FROM\s+(?:--\S+\s+)*(\S+)(?![^]*^\s*FROM\s)/im, "builds an image from $1"],
    ],
    seen: "builds an image",
  })),
  { file: "Procfile", shows: [[/^web:\s*(.{1,80})/m, "starts $1"]], unless: SERVES_FILES },
  { file: "serverless.yml", shows: [[/^functions:/m, "names functions"]] },
];

/** Function folders, each with the platform that runs the functions. */
export const FUNCTION_FOLDERS: readonly {
  readonly folder: string;
  readonly platform: string;
}[] = [
  { folder: "api", platform: "Vercel" },
  { folder: "netlify/functions", platform: "Netlify" },
  { folder: "netlify/edge-functions", platform: "Netlify" },
  { folder: "functions", platform: "Cloudflare" },
];
