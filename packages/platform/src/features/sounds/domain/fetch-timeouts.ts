import type { EgressTimeouts } from '@jackfield/ports';

/** Short, because a caller waits for the sound. */
const defaultTimeouts: EgressTimeouts = { connectMs: 2_000, readMs: 10_000, totalMs: 30_000 };

/** The settings in the fragment of the URL (docs/interface/requests.md#settings-in-a-url, read by `settingsOf`); our defaults for the others. */
export function fetchTimeouts(url: string, settingsOf: (url: string) => EgressTimeouts): EgressTimeouts {
  const mark = url.indexOf('#');
  const names = mark === -1 ? [] : url.slice(mark + 1).split('&');
  const says = (name: string): boolean => names.some((pair) => pair.startsWith(`${name}=`));
  const said = settingsOf(url);
  return {
    connectMs: says('ct') ? said.connectMs : defaultTimeouts.connectMs,
    readMs: says('rt') ? said.readMs : defaultTimeouts.readMs,
    totalMs: says('tt') ? said.totalMs : defaultTimeouts.totalMs,
  };
}
