import type { LiveCallItem, LiveRoomItem } from '@jackfield/contract/console';
import { api, quietly } from '../api/client.ts';

export interface LiveState {
  readonly calls: ReadonlyMap<string, LiveCallItem>;
  readonly rooms: ReadonlyMap<string, LiveRoomItem>;
}

interface LivePage {
  readonly meta: { readonly after: string; readonly next: string | null };
  readonly calls: readonly LiveCallItem[];
  readonly multiparty_calls: readonly LiveRoomItem[];
}

/** All that lives, and the event behind which the event stream goes on: that of the first page, so that no change is missed. */
export async function readLive(): Promise<{ readonly state: LiveState; readonly after: string }> {
  const first = await api<LivePage>('GET', 'Live/?limit=200');
  const pages = [first];
  while (pages.at(-1)!.meta.next !== null) {
    const position = new URL(pages.at(-1)!.meta.next!, location.origin).searchParams.get('position') ?? '';
    pages.push(await quietly<LivePage>(`Live/?limit=200&position=${encodeURIComponent(position)}`));
  }
  const calls = pages.flatMap((page) => page.calls);
  const rooms = pages.flatMap((page) => page.multiparty_calls);
  return {
    state: {
      calls: new Map(calls.map((call) => [call.call_uuid, call])),
      rooms: new Map(rooms.map((room) => [room.mpc_uuid, room])),
    },
    after: first.meta.after,
  };
}
