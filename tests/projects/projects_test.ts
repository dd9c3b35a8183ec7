/**
 * Creates real projects with their own scaffolders, and deploys and visits them. By default, uses
 * only the projects marked `ci`. `PROJECTS` selects others (`all` or comma-separated names).
 */
import { CHROMIUM } from "../helpers/chromium.ts";
import { buildsProjects } from "../helpers/node_program.ts";
import { withSandbox } from "../helpers/sandbox.ts";
import { checkProject } from "./_project.ts";
import { isChosen, readRecipes } from "./_recipe.ts";

const wanted = Deno.env.get("PROJECTS");

for (const named of readRecipes().filter((each) => isChosen(each, wanted))) {
  Deno.test({
    name: `${named.recipe.title} goes live as it was scaffolded`,
    ignore: !buildsProjects || CHROMIUM === undefined,
    // The driver keeps the browser's pipes open until the test process exits.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: () => withSandbox((box) => checkProject(box, named)),
  });
}
