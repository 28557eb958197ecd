/** What can be proven of a call: that its beginning is the call before it, so that a provider's cache can hit. */
import type { CallInspection } from "../../../src-main/contract/calls.ts";
import { useWords } from "../../i18n/language.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { inputOf } from "../../stores/calls.ts";
import { hashOf } from "../../stores/route.ts";
import styles from "./detail.module.css";

export function ChecksTab({ inspection: { call, check } }: { readonly inspection: CallInspection }) {
  const words = useWords();
  const { previous, requestHash, messagesHash, messageCount } = check;
  const { usage, tries } = call;
  return (
    <div className={styles.checks}>
      <p>
        {previous ? (
          <>
            <Glyph tone={previous.isPrefix ? "ok" : "warn"} />
            {words.text(previous.isPrefix ? "checks.prefix" : "checks.noPrefix", {
              before: words.number(previous.messageCount),
              now: words.number(messageCount),
            })}{" "}
            <a href={hashOf({ page: "inspector", id: previous.callId })}>{words.text("checks.previous")}</a>
          </>
        ) : (
          <>
            <Glyph tone="off" />
            {words.text("checks.first")}
          </>
        )}
      </p>
      {previous && (
        <p>
          <Glyph tone={previous.isSameSetup ? "ok" : "warn"} />
          {words.text(previous.isSameSetup ? "checks.sameSetup" : "checks.otherSetup")}
        </p>
      )}
      {usage && (
        <p>
          <Glyph tone={usage.cached > 0 || !previous ? "ok" : "warn"} />
          {words.text("checks.cache", {
            cached: words.number(usage.cached),
            input: words.number(inputOf(usage)),
            share: words.percent(inputOf(usage) === 0 ? 0 : usage.cached / inputOf(usage)),
          })}
        </p>
      )}
      <p>
        <Glyph tone={tries > 1 ? "warn" : "ok"} />
        {words.plural("checks.tries", tries)}
      </p>
      <dl className={styles.hashes}>
        <dt>{words.text("checks.requestHash")}</dt>
        <dd>
          <code>{requestHash}</code>
        </dd>
        <dt>{words.text("checks.messagesHash")}</dt>
        <dd>
          <code>{messagesHash}</code>
        </dd>
        <dt>{words.text("checks.callId")}</dt>
        <dd>
          <code>{call.callId}</code>
        </dd>
      </dl>
    </div>
  );
}
