import assert from "node:assert/strict";
import { test } from "node:test";
import { texts } from "../../src-renderer/i18n/texts.ts";
import { createWords, pickLanguage } from "../../src-renderer/i18n/words.ts";

const english = createWords("en", "UTC");
const chinese = createWords("zh-CN", "UTC");

test("the first language of the browser that we speak is taken, else English", () => {
  assert.equal(pickLanguage(["fr-FR", "zh-Hant-TW", "en"]), "zh-CN");
  assert.equal(pickLanguage(["en-GB", "zh-CN"]), "en");
  assert.equal(pickLanguage(["de", "fr"]), "en");
  assert.equal(pickLanguage([]), "en");
});

test("both languages fill in the same placeholders", () => {
  const names = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted();
  for (const [key, [english, chinese]] of Object.entries(texts))
    assert.deepEqual(names(chinese), names(english), key);
});

test("plural forms follow the language, their number is written in it", () => {
  assert.equal(english.plural("health.channels", 1), "1 channel");
  assert.equal(english.plural("health.channels", 1234), "1,234 channels");
  assert.equal(english.plural("health.channelsOn", 1, { total: "3" }), "1 of 3 channels on");
  assert.equal(chinese.plural("health.channels", 1), "1 个渠道");
});

test("a filled-in text is not filled in again", () => {
  assert.equal(english.text("channels.test.name", { name: "{name}$&" }), "Test {name}$&");
});

test("times carry their date only when it is not today's", () => {
  const now = Date.UTC(2026, 4, 4, 23, 0, 0);
  assert.equal(english.time(Date.UTC(2026, 4, 4, 0, 4, 5), now), "00:04:05");
  assert.equal(english.time(Date.UTC(2026, 4, 3, 12, 4, 5), now), "May 3, 12:04:05");
  assert.equal(chinese.time(Date.UTC(2026, 4, 3, 12, 4, 5), now), "5月3日 12:04:05");
});

test("durations get coarser as they grow", () => {
  assert.deepEqual([0, 340, 999.6, 1240, 9960, 61_000].map(english.duration), [
    "0ms",
    "340ms",
    "1s",
    "1.2s",
    "10s",
    "61s",
  ]);
});
