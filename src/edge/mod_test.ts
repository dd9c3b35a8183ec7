import assert from "node:assert/strict";
import * as edge from "./mod.ts";

Deno.test("the edge module exports its public names", () => {
  assert.deepEqual(Object.keys(edge).sort(), [
    "BlobCorruptError",
    "BlobStreams",
    "CALLBACK_PATH",
    "DEFAULT_ISR_MEMORY_BYTES",
    "DomainHosts",
    "GeoFileError",
    "IsrCache",
    "IsrMemory",
    "SHARE",
    "SiteAccess",
    "SiteDirectory",
    "TrustedProxies",
    "askServer",
    "atHost",
    "compileSite",
    "compileSiteInTurns",
    "contentOf",
    "contentType",
    "countRules",
    "createEdge",
    "createHttpCache",
    "createRelay",
    "deviceOf",
    "loadGeo",
    "openToken",
    "rateLimitHeaders",
    "resolveHost",
    "ruleCounts",
    "sealToken",
    "withRules",
    "withRulesInTurns",
  ]);
});
