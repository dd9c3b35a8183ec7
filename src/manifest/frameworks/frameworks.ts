/** @module The frameworks that svc supports, and lookups across all of them. */
import { DOCKERFILE, LANGUAGE_SERVERS } from "../languages/languages.ts";
import { angular } from "./angular.ts";
import { astro } from "./astro.ts";
import { createReactApp } from "./create_react_app.ts";
import { denoServer } from "./deno_server.ts";
import { docusaurus } from "./docusaurus.ts";
import { eleventy } from "./eleventy.ts";
import { FUNCTION_PROJECTS } from "./functions_server.ts";
import { hugo } from "./hugo.ts";
import { jekyll } from "./jekyll.ts";
import { next } from "./next.ts";
import { nitro } from "./nitro.ts";
import { NODE_SERVERS } from "./node_servers.ts";
import { nuxt } from "./nuxt.ts";
import { parcel } from "./parcel.ts";
import { qwik } from "./qwik.ts";
import { reactRouter } from "./react_router.ts";
import { remix } from "./remix.ts";
import { rsbuild } from "./rsbuild.ts";
import { solidStart } from "./solid_start.ts";
import { sveltekit } from "./sveltekit.ts";
import { tanstackStart } from "./tanstack_start.ts";
import type { Framework, HashedFolder } from "./types.ts";
import { vite } from "./vite.ts";
import { vitepress } from "./vitepress.ts";
import { vueCli } from "./vue_cli.ts";
import { workers } from "./workers.ts";

/** Frameworks in detection order. A framework comes before any framework that it is built on. */
export const FRAMEWORKS: readonly Framework[] = [
  nuxt,
  sveltekit,
  astro,
  next,
  reactRouter,
  remix,
  tanstackStart,
  solidStart,
  qwik,
  docusaurus,
  vitepress,
  eleventy,
  angular,
  nitro,
  workers,
  ...NODE_SERVERS,
  denoServer,
  jekyll,
  hugo,
  ...LANGUAGE_SERVERS,
  createReactApp,
  vueCli,
  rsbuild,
  vite,
  parcel,
  ...FUNCTION_PROJECTS,
  DOCKERFILE,
];

export function findFramework(id: string | undefined): Framework | undefined {
  return FRAMEWORKS.find((framework) => framework.id === id);
}

/**
 * All frameworks' folders that contain only files with a hash of the content in their names,
 * without duplicates.
 */
export const HASHED_FOLDERS: readonly HashedFolder[] = [
  ...new Map(
    FRAMEWORKS.flatMap(({ hashedFolders = [] }) => hashedFolders).map((row) => [row.path, row]),
  ).values(),
];

/** Files that a site's pages fetch to find out which version is live. */
export const VERSION_FILES: readonly string[] = FRAMEWORKS
  .flatMap(({ versionFile }) => versionFile === undefined ? [] : [versionFile]);
