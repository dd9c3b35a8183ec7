/**
 * The svc program: hands its arguments to the command tree.
 *
 * @module
 */
import { main } from "./src/cli/mod.ts";

if (import.meta.main) await main();
