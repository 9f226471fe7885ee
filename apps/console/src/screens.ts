import type { Component } from 'svelte';

/** A part of the console under a path of its own; its code is loaded when it is opened. */
export interface Screen {
  /** `/calls/:call_uuid`. */
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: a screen without a variable part in its path declares no props
  readonly load: () => Promise<{ default: Component<any> }>;
  /** Its key among `texts.screens`, where the navigation shows it. */
  readonly shown?: keyof typeof import('./texts/en-table.ts').texts.screens;
}

export const screens: readonly Screen[] = [
  { path: '/', load: () => import('./live/live.svelte'), shown: 'live' },
  { path: '/multiparty/:mpc_uuid', load: () => import('./room/room.svelte') },
  { path: '/calls', load: () => import('./calls/calls.svelte'), shown: 'calls' },
  { path: '/calls/:call_uuid', load: () => import('./call/call.svelte') },
  { path: '/callbacks', load: () => import('./callbacks/callbacks.svelte'), shown: 'callbacks' },
  { path: '/recordings', load: () => import('./recordings/recordings.svelte'), shown: 'recordings' },
  { path: '/recordings/:recording_id', load: () => import('./recordings/recording.svelte') },
  { path: '/phone', load: () => import('./phone/phone.svelte'), shown: 'phone' },
  { path: '/start', load: () => import('./first-run/first-run.svelte'), shown: 'firstRun' },
  { path: '/sandbox', load: () => import('./sandbox/sandbox.svelte'), shown: 'sandbox' },
  { path: '/verify', load: () => import('./verify/verify.svelte'), shown: 'verify' },
  { path: '/usage', load: () => import('./usage/usage.svelte'), shown: 'usage' },
  { path: '/rates', load: () => import('./rates/rates.svelte'), shown: 'rates' },
  { path: '/explorer', load: () => import('./explorer/explorer.svelte'), shown: 'explorer' },
  { path: '/sessions', load: () => import('./sessions/sessions.svelte'), shown: 'sessions' },
  { path: '/setup', load: () => import('./setup/setup.svelte'), shown: 'setup' },
  { path: '/setup/:kind', load: () => import('./setup/setup.svelte') },
  { path: '/setup/:kind/:id', load: () => import('./setup/setup-record.svelte') },
  { path: '/callbacks/:callback_id', load: () => import('./callbacks/callback.svelte') },
];

export interface Found {
  readonly screen: Screen;
  readonly params: Readonly<Record<string, string>>;
}

/** The screen of a path, and the values of its `:names`. */
export function screenOf(path: string): Found | undefined {
  const parts = path.split('/');
  for (const screen of screens) {
    const pattern = screen.path.split('/');
    if (pattern.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = pattern.every((each, index) => {
      const part = parts[index] ?? '';
      if (!each.startsWith(':')) return each === part;
      params[each.slice(1)] = decodeURIComponent(part);
      return part !== '';
    });
    if (fits) return { screen, params };
  }
  return undefined;
}
