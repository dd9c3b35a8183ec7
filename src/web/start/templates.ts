/** @module Starter projects, each as small as its framework allows. */

export interface Template {
  readonly id: string;
  readonly name: string;
  /** The purpose of the template, in one sentence. */
  readonly about: string;
  readonly files: Readonly<Record<string, string>>;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const STYLE = `:root { color-scheme: light dark; font: 1.05rem/1.6 system-ui, sans-serif; }
body { max-width: 42rem; margin: 4rem auto; padding: 0 1.25rem; }
`;

const IGNORED =
  "node_modules/\ndist/\nbuild/\n.next/\n.svelte-kit/\n.astro/\n.env\n.env.*\n!.env.example\n";

const page = (head: string): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Hello</title>${head}
  </head>
  <body>
    <h1>Hello</h1>
    <p>This page is live. Edit it and deploy again.</p>
  </body>
</html>
`;

const HONO = `import { serve } from "@hono/node-server";
import { Hono } from "hono";

const app = new Hono();

app.get("/", (c) => c.html("<!doctype html><title>Hello</title><h1>Hello from Hono</h1>"));
app.get("/api/time", (c) => c.json({ time: new Date().toISOString() }));

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
`;

const ASTRO_PAGE = `---
const title = "Hello from Astro";
---
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>{title}</title>
  </head>
  <body>
    <h1>{title}</h1>
    <p>Edit src/pages/index.astro and deploy again.</p>
  </body>
</html>
`;

const NEXT_LAYOUT = `export const metadata = { title: "Hello" };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
`;

const NEXT_PAGE = `export default function Page() {
  return (
    <main>
      <h1>Hello from Next.js</h1>
      <p>Edit app/page.jsx and deploy again.</p>
    </main>
  );
}
`;

const KIT_HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    %sveltekit.head%
  </head>
  <body>
    <div>%sveltekit.body%</div>
  </body>
</html>
`;

const KIT_PAGE = `<svelte:head><title>Hello</title></svelte:head>

<h1>Hello from SvelteKit</h1>
<p>Edit src/routes/+page.svelte and deploy again.</p>
`;

const KIT_CONFIG = `import adapter from "@sveltejs/adapter-node";
import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig } from "vite";

export default defineConfig({ plugins: [sveltekit({ adapter: adapter() })] });
`;

/** The Node version that the newest frameworks require, regardless of the machine's own version. */
const ENGINES = { node: ">=22.17" };

export const TEMPLATES: readonly Template[] = [
  {
    id: "static",
    name: "Static site",
    about: "HTML and CSS, live immediately without a build.",
    files: {
      "index.html": page('\n    <link rel="stylesheet" href="/style.css">'),
      "404.html": page("").replaceAll("Hello", "Page not found")
        .replace("This page is live. Edit it and deploy again.", "There is no page at this URL."),
      "style.css": STYLE,
    },
  },
  {
    id: "hono",
    name: "Hono",
    about: "A small server with a JSON API.",
    files: {
      ".gitignore": IGNORED,
      "package.json": json({
        name: "hello",
        private: true,
        type: "module",
        engines: ENGINES,
        scripts: { start: "node server.js", dev: "node --watch server.js" },
        dependencies: { "@hono/node-server": "^2.1.8", hono: "^4.13.19" },
      }),
      "server.js": HONO,
    },
  },
  {
    id: "astro",
    name: "Astro",
    about: "Prerendered pages, for content sites and blogs.",
    files: {
      ".gitignore": IGNORED,
      "package.json": json({
        name: "hello",
        private: true,
        type: "module",
        engines: ENGINES,
        scripts: { dev: "astro dev", build: "astro build" },
        dependencies: { astro: "^7.3.5" },
      }),
      "src/pages/index.astro": ASTRO_PAGE,
    },
  },
  {
    id: "nextjs",
    name: "Next.js",
    about: "React, with server rendering.",
    files: {
      ".gitignore": IGNORED,
      "package.json": json({
        name: "hello",
        private: true,
        engines: ENGINES,
        scripts: { dev: "next dev", build: "next build", start: "next start" },
        dependencies: { next: "^16.4.6", react: "^19.3.1", "react-dom": "^19.3.1" },
      }),
      "app/layout.jsx": NEXT_LAYOUT,
      "app/page.jsx": NEXT_PAGE,
    },
  },
  {
    id: "sveltekit",
    name: "SvelteKit",
    about: "Svelte, with server rendering.",
    files: {
      ".gitignore": IGNORED,
      "package.json": json({
        name: "hello",
        private: true,
        type: "module",
        engines: ENGINES,
        scripts: { dev: "vite dev", build: "vite build" },
        devDependencies: {
          "@sveltejs/adapter-node": "^6.0.1",
          "@sveltejs/kit": "^3.2.0",
          "@sveltejs/vite-plugin-svelte": "^7.3.1",
          svelte: "^5.57.3",
          vite: "^8.3.8",
        },
      }),
      "vite.config.js": KIT_CONFIG,
      "src/app.html": KIT_HTML,
      "src/routes/+page.svelte": KIT_PAGE,
    },
  },
];
