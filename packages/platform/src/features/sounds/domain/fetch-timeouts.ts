import type { EgressTimeouts } from '@jackfield/ports';

/** Somebody waits on the phone: a server that is silent for longer is given up, unless the URL says otherwise. */
const unsaid: EgressTimeouts = { connectMs: 2_000, readMs: 10_000, totalMs: 30_000 };

/** What the fragment of the URL says (docs/interface/requests.md#settings-in-a-url, read by `settingsOf`), and our own numbers where it is silent. */
export function fetchTimeouts(url: string, settingsOf: (url: string) => EgressTimeouts): EgressTimeouts {
  const mark = url.indexOf('#');
  const names = mark === -1 ? [] : url.slice(mark + 1).split('&');
  const says = (name: string): boolean => names.some((pair) => pair.startsWith(`${name}=`));
  const said = settingsOf(url);
  return {
    connectMs: says('ct') ? said.connectMs : unsaid.connectMs,
    readMs: says('rt') ? said.readMs : unsaid.readMs,
    totalMs: says('tt') ? said.totalMs : unsaid.totalMs,
  };
}
