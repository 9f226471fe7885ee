import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/** A name beyond this many dots is tried as it is before the search list (resolv.conf(5)). */
const usualNdots = 1;
/** The limit of glibc. */
const mostNdots = 15;

/** What /etc/resolv.conf says about names that are not complete. */
export interface SearchRules {
  readonly domains: readonly string[];
  readonly ndots: number;
}

/** The addresses of each name in a hosts file (hosts(5)), in lower case. */
export function readHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of linesOf(text)) {
    const [address = '', ...names] = line;
    // The address guard refuses addresses with a zone; macOS has one for localhost.
    if (isIP(address) === 0 || address.includes('%')) continue;
    for (const name of names.map((each) => each.toLowerCase())) {
      const known = hosts.get(name);
      if (known === undefined) hosts.set(name, [address]);
      else if (!known.includes(address)) known.push(address);
    }
  }
  return hosts;
}

/** The search list of resolv.conf(5): the last line with `search` or `domain`, else the domain of the machine. */
export function readSearchRules(text: string, machine: string): SearchRules {
  const dot = machine.indexOf('.');
  let domains = dot === -1 ? [] : [machine.slice(dot + 1)];
  let ndots = usualNdots;
  for (const [word, ...values] of linesOf(text)) {
    if (word === 'search') domains = values;
    else if (word === 'domain') domains = values.slice(0, 1);
    else if (word === 'options') {
      const value = values.findLast((option) => /^ndots:\d+$/.test(option))?.slice('ndots:'.length);
      if (value !== undefined) ndots = Math.min(Number(value), mostNdots);
    }
  }
  return { domains: domains.map((domain) => domain.replace(/\.$/, '')), ndots };
}

/** The names that a name may stand for, in the order in which they are asked. A name that ends with a dot is complete. */
export function candidatesOf(name: string, { domains, ndots }: SearchRules): readonly string[] {
  if (name.endsWith('.')) return [name];
  const searched = domains.map((domain) => (domain === '' ? name : `${name}.${domain}`));
  const isAskedFirst = name.split('.').length - 1 >= ndots;
  return [...new Set(isAskedFirst ? [name, ...searched] : [...searched, name])];
}

/** What `read` makes of a file, read again after a change; of an empty text when there is no such file. */
export function followFile<Value>(path: string, read: (text: string) => Value): () => Value {
  let kept: { readonly version: string; readonly value: Value } | undefined;
  return () => {
    const found = statSync(path, { throwIfNoEntry: false });
    const version = found === undefined ? '' : `${found.ino}-${found.size}-${found.mtimeMs}`;
    if (kept?.version !== version) {
      kept = { version, value: read(found === undefined ? '' : readFileSync(path, 'utf8')) };
    }
    return kept.value;
  };
}

/** The words of each line, without comments. */
function linesOf(text: string): string[][] {
  return text
    .split('\n')
    .map((line) => line.replace(/[#;].*/, '').trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/));
}
