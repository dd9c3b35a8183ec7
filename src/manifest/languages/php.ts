/**
 * @module PHP: the project with its packages, served by PHP's own server. The server sends files
 * from the document root unchanged, and passes every other path to `index.php`.
 */
import { firstThere, procfileCommand, quote, WHOLE_PROJECT } from "./parts.ts";
import type { Language } from "./types.ts";

const INSTALL = "composer install --no-dev --optimize-autoloader --no-interaction --no-progress";

/** Possible paths of the front controller, in search order. */
const PAGES = ["public/index.php", "web/index.php", "index.php"] as const;

/** The deployment folder is read-only, and the server has no other persistent folder. */
const LARAVEL = [
  "APP_ENV=production LOG_CHANNEL=stderr VIEW_COMPILED_PATH=/tmp/views",
  "LARAVEL_STORAGE_PATH=/tmp/storage SESSION_DRIVER=cookie CACHE_STORE=array",
].join(" ");
const LARAVEL_FOLDERS =
  "mkdir -p /tmp/views /tmp/storage/framework/cache /tmp/storage/framework/sessions /tmp/storage/logs";

export const php: Language = {
  id: "php",
  name: "PHP",
  files: ["composer.json", "index.php"],
  async plan(reader) {
    const page = await firstThere(reader, PAGES);
    if (page === undefined) return undefined;
    const composer = await reader.readText("composer.json");
    const hasPackages = /"require"\s*:\s*\{[^}]*"[\w-]+\//.test(composer ?? "");
    const root = page.includes("/") ? page.slice(0, page.lastIndexOf("/")) : ".";
    const isLaravel = await reader.exists("artisan");
    const server = `exec php -S "$HOST:$PORT" -t ${quote(root)}`;
    const named = await procfileCommand(reader);
    const command = named?.startsWith("php ") === true ? named : undefined;
    return {
      reason: `${page} is a PHP page`,
      toolchains: hasPackages ? ["php", "composer"] : ["php"],
      ...(hasPackages ? { build: INSTALL } : {}),
      start: command ??
        (isLaravel
          ? `${LARAVEL_FOLDERS} && ${LARAVEL} PHP_CLI_SERVER_WORKERS=4 ${server}`
          : `PHP_CLI_SERVER_WORKERS=4 ${server}`),
      entry: page,
      placements: [
        ...WHOLE_PROJECT,
        { from: "vendor", to: "vendor", optional: true },
        {
          from: `${root === "." ? "" : `${root}/`}build`,
          to: `${root === "." ? "" : `${root}/`}build`,
          optional: true,
        },
      ],
    };
  },
};
