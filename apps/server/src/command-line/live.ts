import type { LiveCallItem, LiveRoomItem } from '@jackfield/contract/console';
import type { AccountApi } from './account-api.ts';

interface LivePage {
  readonly meta: { readonly next: string | null };
  readonly calls: readonly LiveCallItem[];
  readonly multiparty_calls: readonly LiveRoomItem[];
}

/** Every live call and multiparty call of the account. */
export async function readLive(api: AccountApi): Promise<Omit<LivePage, 'meta'>> {
  const calls: LiveCallItem[] = [];
  const rooms: LiveRoomItem[] = [];
  for (let next: string | null = 'Live/'; next !== null; ) {
    const page: LivePage = await api.request('GET', next);
    calls.push(...page.calls);
    rooms.push(...page.multiparty_calls);
    next = page.meta.next;
  }
  return { calls, multiparty_calls: rooms };
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The path of a multiparty call, which people name by its friendly name or its UUID. */
export function roomPath(room: string): string {
  const named = /^(?:name|uuid)_/.test(room) ? room : `${uuid.test(room) ? 'uuid' : 'name'}_${room}`;
  return `MultiPartyCall/${encodeURIComponent(named)}/`;
}

/** `65` as `1:05`: how long something has lasted. */
export function lasting(since: string | null): string {
  if (since === null) return '';
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(since)) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
