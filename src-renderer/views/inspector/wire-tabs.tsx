/** What went over the wires: to and from the provider, and between Cursor and Ownkey. */
import { useMemo, useState } from "react";
import type { SampleFrame, SampleView } from "../../../src-main/contract/calls.ts";
import { useWords } from "../../i18n/language.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Coloured } from "../../parts/text/code.tsx";
import parts from "../../styles/parts.module.css";
import styles from "./detail.module.css";

/** Of a body, before somebody asks for all of it. */
const shownChars = 64_000;

export function RequestTab({ sample: { request } }: { readonly sample: SampleView }) {
  const words = useWords();
  const body = useMemo(() => indented(request?.body ?? ""), [request]);
  if (!request) return <p className={styles.nothing}>{words.text("wire.notSent")}</p>;
  return (
    <>
      <p className={styles.address}>
        <strong>POST</strong> <Foreign text={request.url} />
      </p>
      <Headers of={request.headers} />
      <p className={styles.address}>
        {words.text("wire.body", { size: words.bytes(request.length) })}
        <CopyButton text={request.body} />
      </p>
      <Long text={body} language="json" />
    </>
  );
}

export function ResponseTab({
  sample: { response, lines, over, passedOver },
}: {
  readonly sample: SampleView;
}) {
  const words = useWords();
  const text = useMemo(() => lines.map((line) => line.text).join("\n"), [lines]);
  return (
    <>
      {response ? (
        <>
          <p className={styles.address}>
            <strong>{response.status}</strong>{" "}
            {words.text("wire.after", { time: words.duration(response.ms) })}
          </p>
          <Headers of={response.headers} />
        </>
      ) : (
        <p className={styles.nothing}>{words.text("wire.noAnswer")}</p>
      )}
      <PassedOver of={passedOver} />
      <Long text={text} language="" />
      {over.upstream > 0 && (
        <p className={styles.over}>{words.text("wire.over", { size: words.bytes(over.upstream) })}</p>
      )}
    </>
  );
}

function Headers({ of }: { readonly of: Readonly<Record<string, string>> }) {
  return (
    <dl className={styles.hashes}>
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Foreign text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function PassedOver({ of }: { readonly of: SampleView["passedOver"] }) {
  const words = useWords();
  const names = Object.entries(of);
  if (names.length === 0) return null;
  return (
    <>
      <p className={styles.over}>{words.text("wire.passedOver")}</p>
      <Headers of={Object.fromEntries(names.map(([name, n]) => [name, `×${words.number(n)}`]))} />
    </>
  );
}

interface LongProps {
  readonly text: string;
  readonly language: string;
}

function Long({ text, language }: LongProps) {
  const words = useWords();
  const [isWhole, setIsWhole] = useState(false);
  if (text === "") return null;
  return (
    <>
      <Coloured text={isWhole ? text : text.slice(0, shownChars)} language={language} />
      {!isWhole && text.length > shownChars && (
        <p className={parts.cut}>
          {words.text("text.cut", { shown: words.number(shownChars), all: words.number(text.length) })}
          <button type="button" className={parts.button} onClick={() => setIsWhole(true)}>
            {words.text("text.showAll")}
          </button>
        </p>
      )}
    </>
  );
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function FramesTab({ sample: { frames, over } }: { readonly sample: SampleView }) {
  const words = useWords();
  return (
    <>
      <div className={styles.wide}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{words.text("events.ms")}</th>
              <th scope="col">{words.text("frames.direction")}</th>
              <th scope="col">{words.text("frames.kind")}</th>
              <th scope="col">{words.text("frames.size")}</th>
              <th scope="col">{words.text("frames.unknown")}</th>
            </tr>
          </thead>
          <tbody>
            {frames.map((frame, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a recording only grows at its end
              <FrameRow key={at} frame={frame} />
            ))}
          </tbody>
        </table>
      </div>
      {frames.length === 0 && <p className={styles.nothing}>{words.text("frames.none")}</p>}
      {over.frames > 0 && <p className={styles.over}>{words.plural("frames.over", over.frames)}</p>}
    </>
  );
}

function FrameRow({ frame }: { readonly frame: SampleFrame }) {
  const words = useWords();
  const [isOpen, setIsOpen] = useState(false);
  const { ms, direction, kind, size, json, unknown } = frame;
  return (
    <tr>
      <td className={styles.number}>{words.number(ms)}</td>
      <td>{words.text(`frames.${direction}`)}</td>
      <td>
        <button
          type="button"
          className={styles.more}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {kind}
        </button>
        {isOpen && <Coloured text={json} language="json" />}
      </td>
      <td className={styles.number}>{words.bytes(size)}</td>
      <td>{unknown.map(({ no, bytes }) => `#${no} ${words.bytes(bytes)}`).join(", ")}</td>
    </tr>
  );
}
