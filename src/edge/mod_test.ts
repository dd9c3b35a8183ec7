import assert from "node:assert/strict";
import * as edge from "./mod.ts";

Deno.test("the edge's public names", () => {
  assert.deepEqual(Object.keys(edge).sort(), [
    "BYPASS",
    "BlobCorruptError",
    "CALLBACK_PATH",
    "DEFAULT_CACHE_BYTES",
    "DEFAULT_ISR_MEMORY_BYTES",
    "DomainHosts",
    "GeoFileError",
    "IsrCache",
    "IsrMemory",
    "MAX_CACHED_BYTES",
    "SHARE",
    "SiteAccess",
    "SiteDirectory",
    "TrustedProxies",
    "askServer",
    "atHost",
    "compileSite",
    "compileSiteInTurns",
    "contentOf",
    "createEdge",
    "createHttpCache",
    "deviceOf",
    "loadGeo",
    "openAsnDatabase",
    "openCountryDatabase",
    "openToken",
    "rateLimitHeaders",
    "resolveHost",
    "ruleCounts",
    "sealToken",
    "withRules",
    "withRulesInTurns",
  ]);
});
