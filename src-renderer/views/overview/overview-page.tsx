/** The first page: whether the chain to the models holds, what runs now, what was asked last, what went wrong. */
import { ChevronRight } from "lucide-react";
import { useEffect, useMemo } from "react";
import { useStore } from "zustand";
import type { CallView } from "../../../src-main/contract/calls.ts";
import type { ConversationView } from "../../../src-main/contract/conversations.ts";
import { useFrame } from "../../frame/frame.ts";
import { Page } from "../../frame/page.tsx";
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { Empty, Loaded, Panel } from "../../parts/panel.tsx";
import { hashOf } from "../../stores/route.ts";
import parts from "../../styles/parts.module.css";
import { isRunning, tones } from "../conversations/status.ts";
import { failureOf } from "../failures.ts";
import { FirstRun } from "../first-run/first-run.tsx";
import { chainOf, problemsOf } from "./chain.ts";
import styles from "./overview.module.css";
import { StatusFailure } from "./status-failure.tsx";

const latest = 6;
const dayMs = 86_400_000;

export function OverviewPage() {
  const words = useWords();
  const { stores, preferences } = useFrame();
  const { firstRun, isKnown } = useStore(preferences.store);
  const channels = useStore(stores.channels.store);
  const isEmpty = channels.type === "loaded" && channels.value.length === 0;
  // Begun with an empty program, it stays until the user is done with it.
  useEffect(() => {
    if (isKnown && isEmpty && firstRun === "unknown") preferences.set({ firstRun: "open" });
  }, [isKnown, isEmpty, firstRun, preferences]);
  const isFirst = firstRun === "open";
  return (
    <Page title={words.text("nav.overview")} isTitleUnseen>
      <StatusFailure status={stores.status} />
      {isFirst && <FirstRun onDone={() => preferences.set({ firstRun: "done" })} />}
      <Chain />
      {!isFirst && (
        <>
          <Running />
          <div className={styles.columns}>
            <Latest />
            <Problems />
          </div>
        </>
      )}
    </Page>
  );
}

function Chain() {
  const words = useWords();
  const { stores } = useFrame();
  const status = useStore(stores.status.store);
  const channels = useStore(stores.channels.store);
  const calls = useStore(stores.calls.store);
  if (status.type !== "loaded" || channels.type !== "loaded" || calls.type !== "loaded") return null;
  const links = chainOf({ status: status.value, channels: channels.value, calls: calls.value });
  return (
    <nav aria-label={words.text("chain.label")}>
      <ol className={styles.chain}>
        {links.map(({ name, tone, state, page, id }) => (
          <li key={name}>
            <a href={hashOf({ page, id })} data-tone={tone}>
              <Glyph tone={tone} />
              <span>
                <strong>{words.text(`chain.${name}`)}</strong>
                <small>{words.text(`chain.${name}.${state}`)}</small>
              </span>
            </a>
            <ChevronRight size={16} aria-hidden="true" />
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Running() {
  const words = useWords();
  const { stores } = useFrame();
  const { hits } = useStore(stores.conversations.store);
  const running = hits.filter(({ conversation }) => isRunning(conversation.status));
  if (running.length === 0) return null;
  const stop = (id: string) => void stores.client.call("conversations.stop", { id });
  return (
    <Panel title={words.text("overview.running")}>
      <ul className={styles.rows}>
        {running.map(({ conversation }) => (
          <ConversationRow key={conversation.id} conversation={conversation}>
            <button
              type="button"
              className={parts.button}
              aria-label={words.text("overview.stop", { title: conversation.title ?? "" })}
              onClick={() => stop(conversation.id)}
            >
              {words.text("conversation.stop")}
            </button>
          </ConversationRow>
        ))}
      </ul>
    </Panel>
  );
}

function Latest() {
  const words = useWords();
  const { hits, state } = useStore(useFrame().stores.conversations.store);
  return (
    <Panel title={words.text("overview.latest")}>
      {hits.length === 0 && state === "loaded" ? (
        <Empty title={words.text("overview.noneYet")} body={words.text("conversations.none")} />
      ) : (
        <ul className={styles.rows}>
          {hits.slice(0, latest).map(({ conversation }) => (
            <ConversationRow key={conversation.id} conversation={conversation} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

interface ConversationRowProps {
  readonly conversation: ConversationView;
  readonly children?: React.ReactNode;
}

function ConversationRow({ conversation, children }: ConversationRowProps) {
  const words = useWords();
  const { id, title, status, updatedMs, model } = conversation;
  return (
    <li>
      <a href={hashOf({ page: "conversations", id })}>
        <Glyph tone={tones[status]} />
        <span className={styles.name}>
          <Foreign text={title ?? words.text("conversations.untitled")} />
        </span>
        <small>
          {words.text(`conversation.${status}`)}
          {model && (
            <>
              {" · "}
              <Foreign text={model} />
            </>
          )}
        </small>
        <time dateTime={new Date(updatedMs).toISOString()}>{words.moment(updatedMs, Date.now())}</time>
      </a>
      {children}
    </li>
  );
}

function Problems() {
  const words = useWords();
  const { calls } = useFrame().stores;
  const state = useStore(calls.store);
  return (
    <Panel title={words.text("overview.problems")}>
      <Loaded state={state} failure={words.text("calls.failed")} onRetry={() => void calls.load()}>
        {(list) => <ProblemList calls={list} />}
      </Loaded>
    </Panel>
  );
}

function ProblemList({ calls }: { readonly calls: readonly CallView[] }) {
  const words = useWords();
  const problems = useMemo(() => problemsOf(calls, Date.now() - dayMs), [calls]);
  if (problems.length === 0) return <p className={styles.quiet}>{words.text("overview.noProblems")}</p>;
  return (
    <ul className={styles.rows}>
      {problems.slice(0, latest).map(({ channelName, error, errorCode, count, callId, atMs }) => (
        <li key={callId}>
          <a href={hashOf({ page: "inspector", id: callId })} className={styles.problem}>
            <Glyph tone="err" />
            <span>
              {words.text(failureOf(errorCode))}
              <small>
                <Foreign text={error} />
              </small>
              <small>
                <Foreign text={channelName} /> · {words.plural("overview.times", count)}
              </small>
            </span>
            <time dateTime={new Date(atMs).toISOString()}>{words.moment(atMs, Date.now())}</time>
          </a>
        </li>
      ))}
    </ul>
  );
}
