/** Who searches the web when a model asks for it; nobody until the user chose. */
import { type FormEvent, useState } from "react";
import type { SearchHit, SearchProvider, SearchView, SetSearch } from "../../../src-main/contract/program.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Choice, TextField } from "../../parts/field.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Loaded } from "../../parts/panel.tsx";
import { messageOf } from "../../stores/shadow.ts";
import parts from "../../styles/parts.module.css";
import { useCall } from "../use-call.ts";
import styles from "./settings.module.css";

const providers: readonly (SearchProvider | "none")[] = ["none", "brave", "tavily", "exa", "searxng"];
const titles = { brave: "Brave", tavily: "Tavily", exa: "Exa", searxng: "SearXNG" } as const;

export function WebSearch() {
  const words = useWords();
  const search = useCall("search.get", null);
  return (
    <Loaded state={search.state} failure={words.text("search.failed")} onRetry={search.load}>
      {(view) => <SearchForm key={view.provider} view={view} onSaved={search.set} />}
    </Loaded>
  );
}

interface SearchFormProps {
  readonly view: SearchView;
  readonly onSaved: (view: SearchView) => void;
}

function SearchForm({ view, onSaved }: SearchFormProps) {
  const words = useWords();
  const { client } = useFrame().stores;
  const [provider, setProvider] = useState<SearchProvider | "none">(view.provider ?? "none");
  const [address, setAddress] = useState(view.address ?? "");
  const [key, setKey] = useState("");
  const [error, setError] = useState<string | null>(null);
  const save = (event: FormEvent) => {
    event.preventDefault();
    client
      .call("search.set", toSet(provider, address, key))
      .then(onSaved, (reason) => setError(messageOf(reason)));
  };
  const isKept = view.provider === provider && view.key === "set";
  return (
    <form className={styles.form} onSubmit={save}>
      <p>{words.text("search.about")}</p>
      <Choice
        legend={words.text("search.provider")}
        value={provider}
        options={providers.map((value) => ({
          value,
          label: value === "none" ? words.text("search.none") : titles[value],
        }))}
        onChange={setProvider}
      />
      {provider === "searxng" && (
        <TextField
          label={words.text("search.address")}
          error={error}
          type="url"
          required
          value={address}
          onChange={setAddress}
        />
      )}
      {provider !== "none" && provider !== "searxng" && (
        <TextField
          label={words.text("form.key")}
          hint={isKept ? words.text("form.keyKept") : words.text("search.key")}
          error={error}
          type="password"
          autoComplete="off"
          required={!isKept}
          value={key}
          onChange={setKey}
        />
      )}
      <button type="submit" className={parts.primary}>
        {words.text("action.save")}
      </button>
      {view.provider !== null && <TrySearch />}
    </form>
  );
}

function toSet(provider: SearchProvider | "none", address: string, key: string): SetSearch {
  if (provider === "none") return { provider: null };
  if (provider === "searxng") return { provider, address };
  return key === "" ? { provider } : { provider, key };
}

function TrySearch() {
  const words = useWords();
  const { client } = useFrame().stores;
  const [hits, setHits] = useState<readonly SearchHit[] | string | null>(null);
  const look = () =>
    void client.call("search.test", { term: "Ownkey" }).then(setHits, (reason) => setHits(messageOf(reason)));
  return (
    <div className={styles.made}>
      <button type="button" className={parts.button} onClick={look}>
        {words.text("search.test")}
      </button>
      <div role="status">
        {typeof hits === "string" && <Foreign text={hits} />}
        {Array.isArray(hits) && words.plural("search.hits", hits.length)}
      </div>
    </div>
  );
}
