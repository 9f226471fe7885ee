import { flushSync } from 'svelte';

/** The server gives this page at every path below. */
export const root = '/console';

export interface Shown {
  /** Below the root, without a slash at its end; `/` for the first screen. */
  readonly path: string;
  readonly query: URLSearchParams;
}

let shown = $state.raw<Shown>(read());

/** What the address of the page names. A reload shows the same. */
export const router = {
  get path(): string {
    return shown.path;
  },
  get query(): URLSearchParams {
    return shown.query;
  },
  /** Goes to a path below the root. */
  go(to: string, { replaces = false } = {}): void {
    const url = `${root}${to}`;
    if (replaces) history.replaceState(null, '', url);
    else history.pushState(null, '', url);
    flushSync(() => {
      shown = read();
    });
    if (!replaces) document.getElementById('screen')?.focus();
  },
  /** Changes parameters of the query alone; an empty value removes one. */
  set(values: Readonly<Record<string, string>>): void {
    const query = new URLSearchParams(shown.query);
    for (const [name, value] of Object.entries(values)) {
      if (value === '') query.delete(name);
      else query.set(name, value);
    }
    const text = query.toString();
    router.go(`${shown.path}${text === '' ? '' : `?${text}`}`, { replaces: true });
  },
};

/** Follows links to screens without a new page, `rel="external"` excepted; returns the function that stops it. */
export function followLinks(): () => void {
  const onClick = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest('a');
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    if (link.relList.contains('external')) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || !isBelowRoot(url.pathname) || url.hash !== '') return;
    event.preventDefault();
    router.go(`${url.pathname.slice(root.length)}${url.search}`);
  };
  const onBack = () => {
    shown = read();
  };
  document.addEventListener('click', onClick);
  addEventListener('popstate', onBack);
  return () => {
    document.removeEventListener('click', onClick);
    removeEventListener('popstate', onBack);
  };
}

function isBelowRoot(path: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

function read(): Shown {
  const path = location.pathname.slice(root.length).replace(/\/+$/, '');
  return { path: path === '' ? '/' : path, query: new URLSearchParams(location.search) };
}
