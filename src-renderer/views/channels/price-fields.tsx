/** What a million tokens cost. Empty is "not priced", which is not 0. */
import type { Prices } from "../../../src-main/contract/channels.ts";
import { useWords } from "../../i18n/language.tsx";
import { NumberField, TextField } from "../../parts/field.tsx";
import parts from "../../styles/parts.module.css";
import type { PartProps } from "./draft.ts";
import styles from "./editor.module.css";

const kinds = ["input", "cached", "written", "output"] as const;
const unpriced: Prices = { input: null, cached: null, written: null, output: null, currency: "USD" };

export function PriceFields({ draft: { fields }, set }: PartProps) {
  const words = useWords();
  const prices = fields.prices ?? unpriced;
  const put = (own: Partial<Prices>) => {
    const next = { ...prices, ...own };
    set({ prices: kinds.every((kind) => next[kind] === null) ? null : next });
  };
  return (
    <>
      <div className={styles.prices}>
        {kinds.map((kind) => (
          <NumberField
            key={kind}
            label={words.text(`form.price.${kind}`)}
            min={0}
            none={null}
            value={prices[kind]}
            onChange={(price) => put({ [kind]: price })}
          />
        ))}
        <TextField
          label={words.text("form.price.currency")}
          maxLength={3}
          value={prices.currency}
          onChange={(currency) => put({ currency: currency.toUpperCase() })}
        />
      </div>
      <p className={parts.hint}>{words.text("form.pricesHint")}</p>
    </>
  );
}
