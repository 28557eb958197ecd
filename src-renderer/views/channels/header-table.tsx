/** Headers that go with every request; the values of secret ones are sealed, and not shown again. */
import { X } from "lucide-react";
import type { ChannelView } from "../../../src-main/contract/channels.ts";
import { useWords } from "../../i18n/language.tsx";
import parts from "../../styles/parts.module.css";
import type { HeaderRow, PartProps } from "./draft.ts";
import styles from "./editor.module.css";

interface HeaderTableProps extends PartProps {
  readonly channel: ChannelView | null;
}

export function HeaderTable({ draft: { headers }, change, channel }: HeaderTableProps) {
  const words = useWords();
  const put = (at: number, own: Partial<HeaderRow>) =>
    change({ headers: headers.map((row, index) => (index === at ? { ...row, ...own } : row)) });
  return (
    <fieldset className={styles.headers}>
      <legend>{words.text("form.headers")}</legend>
      {headers.map(({ name, value, isSecret }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is what stands in its place; names are being typed
        <div key={at}>
          <input
            className={parts.field}
            aria-label={words.text("form.headerName")}
            placeholder="x-team"
            spellCheck={false}
            value={name}
            onChange={({ target }) => put(at, { name: target.value })}
          />
          <input
            className={parts.field}
            type={isSecret ? "password" : "text"}
            autoComplete="off"
            aria-label={words.text("form.headerValue", { name })}
            placeholder={isSecret && channel?.hasSecrets[name] ? words.text("form.kept") : ""}
            value={value}
            onChange={({ target }) => put(at, { value: target.value })}
          />
          <label>
            <input
              type="checkbox"
              checked={isSecret}
              onChange={({ target }) => put(at, { isSecret: target.checked })}
            />
            {words.text("form.secret")}
          </label>
          <button
            type="button"
            className={parts.button}
            aria-label={words.text("form.removeHeader", { name })}
            onClick={() => change({ headers: headers.toSpliced(at, 1) })}
          >
            <X size={14} aria-hidden="true" />
          </button>
        </div>
      ))}
      <button
        type="button"
        className={parts.quiet}
        onClick={() => change({ headers: [...headers, { name: "", value: "", isSecret: false }] })}
      >
        {words.text("form.addHeader")}
      </button>
    </fieldset>
  );
}
