import assert from "node:assert/strict";
import { deviceOf } from "./device.ts";

const rows: readonly (readonly [device: string, userAgent: string | null])[] = [
  ["desktop", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"],
  [
    "desktop",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
  ],
  [
    "mobile",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
  ],
  [
    "mobile",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36",
  ],
  [
    "tablet",
    "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1",
  ],
  ["bot", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"],
  ["bot", "curl/8.5.0"],
  ["bot", ""],
  ["bot", null],
  [
    "desktop",
    "Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/538.1 (KHTML, like Gecko) Version/6.0 TV Safari/538.1",
  ],
];

for (const [device, userAgent] of rows) {
  Deno.test(`deviceOf() finds ${device} in ${JSON.stringify(userAgent)?.slice(0, 60)}`, () => {
    assert.equal(deviceOf(userAgent), device);
    assert.equal(deviceOf(userAgent), device);
  });
}

Deno.test("deviceOf() handles a long user agent quickly", () => {
  assert.equal(deviceOf("Mozilla/5.0 (".repeat(5000)), "desktop");
});
