/** What was used: by day, channel and model. */
import { Download } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import type { UsageRow } from "../../../src-main/contract/calls.ts";
import { useFrame } from "../../frame/frame.ts";
import { Page } from "../../frame/page.tsx";
import { useWords } from "../../i18n/language.tsx";
import type { Words } from "../../i18n/words.ts";
import { Empty, Loaded, Panel } from "../../parts/panel.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { Scrollable } from "../../parts/scrollable.tsx";
import { messageOf, type Shadowed } from "../../stores/shadow.ts";
import parts from "../../styles/parts.module.css";
import { Bars } from "./bars.tsx";
import { lastDays, nameOf, type Span, type SpanName, spanOf } from "./span.ts";
import {
  csvOf,
  daysOf,
  hitRateOf,
  inputOf,
  meanFirstMs,
  type Named,
  type Sums,
  sumOf,
  sumsBy,
} from "./sums.ts";
import styles from "./usage.module.css";

const spans: readonly SpanName[] = ["today", "week", "month"];

export function UsagePage() {
  const words = useWords();
  const { client } = useFrame().stores;
  const [span, setSpan] = useState<Span>(() => lastDays("week", new Date()));
  const [chosen, setChosen] = useState<SpanName | "own">("week");
  const [state, setState] = useState<Shadowed<readonly UsageRow[]>>({ type: "loading" });
  const [asks, setAsks] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asks` is what asks again
  useEffect(() => {
    let isGone = false;
    client.call("usage.read", span.asked).then(
      (value) => isGone || setState({ type: "loaded", value }),
      (reason) => isGone || setState({ type: "failed", message: messageOf(reason) }),
    );
    return () => {
      isGone = true;
    };
  }, [client, span, asks]);
  const choose = (name: SpanName) => {
    setChosen(name);
    setSpan(lastDays(name, new Date()));
  };
  const rows = state.type === "loaded" ? state.value : [];
  return (
    <Page
      title={words.text("nav.usage")}
      actions={
        <div className={styles.actions}>
          {spans.map((name) => (
            <button
              key={name}
              type="button"
              className={parts.button}
              aria-pressed={chosen === name}
              onClick={() => choose(name)}
            >
              {words.text(`usage.span.${name}`)}
            </button>
          ))}
          <OwnSpan
            onChoose={(own) => {
              setChosen("own");
              setSpan(own);
            }}
          />
          <button
            type="button"
            className={parts.button}
            disabled={rows.length === 0}
            onClick={() => saveFile(`ownkey-usage-${span.days[0]}.csv`, csvOf(rows))}
          >
            <Download size={14} aria-hidden="true" />
            CSV
          </button>
        </div>
      }
    >
      <Loaded state={state} failure={words.text("usage.failed")} onRetry={() => setAsks(asks + 1)}>
        {(found) =>
          found.length === 0 ? (
            <Empty title={words.text("usage.none")} body={words.text("usage.none.body")} />
          ) : (
            <Used rows={found} days={span.days} />
          )
        }
      </Loaded>
    </Page>
  );
}

function OwnSpan({ onChoose }: { readonly onChoose: (span: Span) => void }) {
  const words = useWords();
  const today = nameOf(new Date());
  const [from, setFrom] = useState(today);
  const [to, setTo] = useState(today);
  const change = (first: string, last: string) => {
    setFrom(first);
    setTo(last);
    if (first !== "" && last !== "" && first <= last)
      onChoose(spanOf(new Date(`${first}T00:00`), new Date(`${last}T00:00`)));
  };
  return (
    <>
      <input
        type="date"
        className={parts.field}
        aria-label={words.text("usage.from")}
        max={to}
        value={from}
        onChange={({ target }) => change(target.value, to)}
      />
      <input
        type="date"
        className={parts.field}
        aria-label={words.text("usage.to")}
        min={from}
        max={today}
        value={to}
        onChange={({ target }) => change(from, target.value)}
      />
    </>
  );
}

interface UsedProps {
  readonly rows: readonly UsageRow[];
  readonly days: readonly string[];
}

function Used({ rows, days }: UsedProps) {
  const words = useWords();
  const [isTable, setIsTable] = useState(false);
  const byDay = useMemo(() => daysOf(rows, days), [rows, days]);
  return (
    <>
      <Cards sums={sumOf(rows)} />
      <Panel title={words.text("usage.byDay")}>
        <button
          type="button"
          className={`${parts.button} ${styles.toggle}`}
          aria-pressed={isTable}
          onClick={() => setIsTable(!isTable)}
        >
          {words.text("usage.asTable")}
        </button>
        {isTable ? <UsageTable title="usage.day" list={byDay.toReversed()} /> : <Bars days={byDay} />}
      </Panel>
      <Panel title={words.text("usage.byChannel")}>
        <UsageTable title="usage.channel" list={sumsBy(rows, ({ channelName }) => channelName)} />
      </Panel>
      <Panel title={words.text("usage.byModel")}>
        <UsageTable title="usage.model" list={sumsBy(rows, ({ model }) => model)} />
      </Panel>
    </>
  );
}

function Cards({ sums }: { readonly sums: Sums }) {
  const words = useWords();
  return (
    <dl className={styles.cards}>
      {figuresOf(sums, words).map(({ name, value, about }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {about && <small>{about}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function figuresOf(sums: Sums, words: Words) {
  const hitRate = hitRateOf(sums);
  const first = meanFirstMs(sums);
  return [
    {
      name: words.text("usage.calls"),
      value: words.number(sums.calls),
      about: sums.failed > 0 ? words.plural("usage.failedCalls", sums.failed) : null,
    },
    {
      name: words.text("usage.input"),
      value: words.compact(inputOf(sums)),
      about: words.text("usage.inputParts", {
        fresh: words.compact(sums.fresh),
        cached: words.compact(sums.cached),
      }),
    },
    { name: words.text("usage.output"), value: words.compact(sums.output), about: null },
    {
      name: words.text("usage.hitRate"),
      value: hitRate === null ? "–" : words.percent(hitRate),
      about: null,
    },
    {
      name: words.text("usage.cost"),
      value: costText(sums, words),
      about: sums.unpriced > 0 ? words.plural("usage.unpriced", sums.unpriced) : null,
    },
    { name: words.text("usage.first"), value: first === null ? "–" : words.duration(first), about: null },
  ];
}

/** "–" where nothing has a price, which is not 0. */
function costText({ cost }: Sums, words: Words): string {
  const sums = Object.entries(cost).map(([currency, amount]) => words.money(amount, currency));
  return sums.join(" + ") || "–";
}

interface UsageTableProps {
  readonly title: "usage.day" | "usage.channel" | "usage.model";
  readonly list: readonly Named[];
}

function UsageTable({ title, list }: UsageTableProps) {
  const words = useWords();
  return (
    <Scrollable className={styles.scroll} label={words.text(title)}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{words.text(title)}</th>
            {(["calls", "fresh", "cached", "written", "output", "hitRate", "first", "cost"] as const).map(
              (column) => (
                <th key={column} scope="col">
                  {words.text(`usage.${column}`)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {list.map(({ name, sums }) => {
            const hitRate = hitRateOf(sums);
            const first = meanFirstMs(sums);
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{words.number(sums.calls)}</td>
                <td>{words.number(sums.fresh)}</td>
                <td>{words.number(sums.cached)}</td>
                <td>{words.number(sums.written)}</td>
                <td>{words.number(sums.output)}</td>
                <td>{hitRate === null ? "–" : words.percent(hitRate)}</td>
                <td>{first === null ? "–" : words.duration(first)}</td>
                <td>
                  {costText(sums, words)}
                  {sums.unpriced > 0 && <small>{words.plural("usage.unpriced", sums.unpriced)}</small>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scrollable>
  );
}
